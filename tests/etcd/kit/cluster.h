// An etcd cluster of a test's own: members on loopback, with ports the kernel chose and data in a
// temporary directory; gone with the test, however that ends.
#ifndef ATMOST_TESTS_ETCD_KIT_CLUSTER_H
#define ATMOST_TESTS_ETCD_KIT_CLUSTER_H

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "fleet/authority.h"

namespace etcd_kit {

// The way in for clients: the members' certificate; with `ca` (a file), clients need one of that
// authority.
struct Tls {
  fleet_kit::Certificate own;
  std::string ca = {};
};

// Where members live, when it is not simply this machine.
struct Ground {
  std::function<std::string(unsigned member)> address;  // IPv4
  std::function<void(unsigned member)> enter;  // in the new process, before it becomes etcd
  std::function<void(unsigned member, pid_t)>
      started;  // in the test, by the thread that started it
};

// The answer to a request of a gateway, "" when none came. GET when `body` is null.
// With a certificate: by https, and as its owner, verifying nothing.
std::string fetch(const std::string& host, const std::string& path, const char* body,
                  long timeout_ms = 1000, const fleet_kit::Certificate& certificate = {},
                  bool with_head = false);

class Cluster {
 public:
  // Blocks until all members answer. Ends the process when there is no etcd or it does not start.
  // `settings`: more options for every member. `tls`: for clients; no certificate: none, unless
  // tested_channel() wants it (tested_channel.h); then its authority is in $ATMOST_ETCD_CACERT of
  // this process, for the callers that it starts from then on.
  explicit Cluster(unsigned count = 3, const std::vector<std::string>& settings = {}, Tls tls = {},
                   Ground ground = {});
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();

  // True if the doctor trusts the leases of the etcd that is installed here (etcd #15247).
  static bool keeps_leases();

  unsigned count() const { return static_cast<unsigned>(members_.size()); }
  std::string host(unsigned member) const;  // HOST:PORT
  std::string hosts() const;                // all of them, with commas
  std::string url(const std::string& prefix) const { return "etcd://" + hosts() + prefix; }
  pid_t pid(unsigned member) const { return members_[member].pid; }

  void signal(unsigned member, int number);
  void kill(unsigned member);  // SIGKILL, and gone
  void start(unsigned member);
  // True if a majority answers through this member.
  bool healthy(unsigned member) const;
  void wait_healthy(unsigned member) const;
  // The member that leads; -1 if none does.
  int leader() const;
  // The number of waiters for the lock at that path ("/prefix/name"), by the keys in etcd. Ends the
  // test when member 0 does not say.
  std::size_t waiting(const std::string& lock) const;
  // The answer of a member's gateway, "" when none came. GET when `body` is null.
  std::string fetch(unsigned member, const std::string& path, const char* body = nullptr,
                    long timeout_ms = 1000) const {
    return etcd_kit::fetch(host(member), path, body, timeout_ms, tls_.own);
  }
  // "etcdctl …" for a shell, as a client of this member. (Not of a cluster that was given `tls`.)
  std::string etcdctl(unsigned member) const;
  // Its wall clock, by the Date of its answers; 0: none came.
  time_t wall_clock(unsigned member) const;

 private:
  struct Member {
    std::uint16_t client_port = 0;
    std::uint16_t peer_port = 0;
    pid_t pid = -1;
  };
  bool try_start(unsigned count);
  void stop_all();
  std::string address(unsigned member) const {
    return ground_.address ? ground_.address(member) : "127.0.0.1";
  }

  std::string directory_;
  std::vector<std::string> settings_;
  Tls tls_;
  std::string authority_;  // a file; empty: no certificate was made here
  Ground ground_;
  std::vector<Member> members_;
};

}  // namespace etcd_kit

#endif
