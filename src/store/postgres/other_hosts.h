// Finds out if another host of the URL leads, too: after a promotion the old primary may go on, cut
// off from the new one, and its clients with it.
#ifndef ATMOST_STORE_POSTGRES_OTHER_HOSTS_H
#define ATMOST_STORE_POSTGRES_OTHER_HOSTS_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "connection.h"

namespace atmost::postgres {

// A host's answer about itself.
struct HostState {
  bool takes_writes = false;
  std::int64_t timeline = 0;    // of a standby: the latest that it has seen
  std::string cluster;          // the system identifier
  std::int64_t started_us = 0;  // when its server was started
};

Statement ask_state();
HostState read_state(const Rows& rows);

// The same server by another name.
bool same_server(const HostState& a, const HostState& b);
// True if locks must not be kept at `ours` because of the state of `other`. When both take writes
// and neither has the later timeline, neither counts.
bool overtakes(const HostState& other, const HostState& ours);

// The address with one of its hosts alone.
Address only_host(const Address& address, std::size_t index);
// Connects to the only host of the connection's address, standby or not, and asks it. Throws
// DatabaseError.
HostState ask_host(Connection& connection, std::int64_t deadline_boot_ns);

// One look at all hosts of an address, by a thread of its own: a name may take long to look up, and
// no renewal waits for that.
class HostLook {
 public:
  // Null: no thread could be started.
  static std::shared_ptr<HostLook> begin(const Address& address, const ClientId& client);
  HostLook(const HostLook&) = delete;
  HostLook& operator=(const HostLook&) = delete;
  ~HostLook();

  bool done() const { return done_; }
  std::int64_t begun_boot_ns() const { return begun_ns_; }
  // The hosts that answered; when it is done.
  const std::vector<HostState>& hosts() const { return hosts_; }
  // Gives up, and waits until the thread has ended, for a while; only the look-up of a name lasts
  // longer. To be called before the process ends.
  void end();

 private:
  HostLook(const Address& address, const ClientId& client);
  void run();

  const Address address_;
  const ClientId client_;
  const std::int64_t begun_ns_;
  const int bell_;  // an eventfd
  std::vector<HostState> hosts_;
  std::atomic<bool> done_ = false;
};

}  // namespace atmost::postgres

#endif
