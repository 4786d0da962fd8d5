// The resource that a fleet's commands share, outside of everything they say of themselves: it sees
// who uses which slot and until when, refuses stale tokens, and keeps the history. The commands are
// slot_user.cc.
#ifndef ATMOST_TESTS_FLEET_WITNESS_H
#define ATMOST_TESTS_FLEET_WITNESS_H

#include <sys/types.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "fleet/history.h"

namespace fleet_kit {

class Witness {
 public:
  struct User {
    pid_t pid = 0;
    pid_t group = 0;
    unsigned host = 0;
    std::uint32_t slots = 0;  // so many
    double until = 0;         // it means to stay so long
  };
  // Listens on a Unix socket at `path`. `own_time`: the moments of the history are those at which
  // it accepted what commands did, not those at which they did it.
  Witness(const std::string& path, std::uint32_t slots, bool own_time = false);
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  ~Witness();

  // From now on commands stay for a moment only, to get it over with.
  void hurry() { hurry_ = true; }
  // Those of one host, or of one group, that use slots now stay until then.
  void linger_on_host(unsigned host, double until);
  void linger(pid_t group, double until);
  // Call it before all processes of a group are stopped, command and supervisor, as a host that
  // sleeps stops them. Only the resource can refuse the writes of such a command when it wakes: it
  // is known to use its slots until now, and no longer.
  void sleeps(pid_t group);
  // The processes that use slots right now.
  std::vector<User> users();
  void finish();

  // After finish().
  const History& history() const { return history_; }
  unsigned begun() const { return begun_; }
  unsigned overlaps() const {
    return overlaps_;
  }  // a slot was begun while its last user was there, and awake
  unsigned stale() const { return stale_; }              // commands refused for their tokens
  unsigned stale_awake() const { return stale_awake_; }  // of them, those whose host never slept

 private:
  struct Guest {
    std::string pending;
    Use use;
    User user;
    bool accepted = false;
    bool refused = false;
  };
  void run();
  bool hear(int fd);
  void take_line(int fd, Guest& guest, const std::string& line);
  bool begin(int fd, Guest& guest);
  bool stale(Guest& guest);
  void seen(Guest& guest, double moment);
  void close_guest(int fd);
  const double* slept(const Guest& guest) const;

  const bool own_time_;
  int listening_ = -1;
  std::atomic<bool> ending_ = false;
  std::atomic<bool> hurry_ = false;
  std::mutex mutex_;  // over guests_ and sleepers_
  std::map<int, Guest> guests_;
  std::map<pid_t, std::set<double>> sleepers_;  // by group, when
  std::map<std::uint32_t, std::uint64_t> highest_;
  std::map<std::uint32_t, int> last_;  // who used a slot last, by descriptor
  History history_;
  std::atomic<unsigned> begun_ = 0, overlaps_ = 0, stale_ = 0, stale_awake_ = 0;
  std::thread thread_;
};

}  // namespace fleet_kit

#endif
