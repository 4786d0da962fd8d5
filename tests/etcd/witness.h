// The resource that a fleet's commands share, outside of everything they say of themselves: it sees who uses which slot,
// refuses stale tokens, and keeps the history.
#ifndef ATMOST_TESTS_ETCD_WITNESS_H
#define ATMOST_TESTS_ETCD_WITNESS_H

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace etcd_kit {

// One use of a slot. Times are of the boot clock, in seconds.
struct Use {
  std::uint32_t slot = 0;
  std::uint64_t token = 0;
  double asked = 0;  // atmost was started
  double begun = 0;  // the command told us
  double ended = 0;  // the command began to end; 0: not known, it was killed
};

// What is wrong with a history, or nothing. Each use is an acquisition, between `asked` and `begun`, and a release, not
// before `ended`. Tokens give the order of acquisitions; the rest is to find a moment for each of them that fits its
// span, comes after the one before, and after the end of the use before on its slot. That is linearizability of a set of
// slots whose tokens increase: earliest moments are best, so one pass decides.
std::string contradiction(std::vector<Use> history, std::uint32_t slots);

class Witness {
 public:
  Witness(const std::string& path, std::uint32_t slots);
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  ~Witness();

  void finish();
  // After finish().
  const std::vector<Use>& history() const { return history_; }
  unsigned overlaps() const { return overlaps_; }  // a slot was begun while its last user was still there
  unsigned stale() const { return stale_; }        // tokens refused
  unsigned begun() const { return begun_; }
  // The processes that use slots right now.
  std::vector<pid_t> users();

 private:
  struct Guest {
    std::string pending;
    Use use;
    pid_t pid = 0;
    bool accepted = false;
  };
  void run();
  bool hear(int fd);
  bool take_line(int fd, Guest& guest, const std::string& line);
  void close_guest(int fd);

  int listening_ = -1;
  std::uint32_t slots_;
  std::atomic<bool> ending_ = false;
  std::mutex mutex_;  // over guests_
  std::map<int, Guest> guests_;
  std::map<std::uint32_t, std::uint64_t> highest_;
  std::map<std::uint32_t, int> user_;
  std::vector<Use> history_;
  std::atomic<unsigned> overlaps_ = 0;
  std::atomic<unsigned> stale_ = 0;
  std::atomic<unsigned> begun_ = 0;
  std::thread thread_;
};

// The command's side: tells the witness, stays for a while, ends. The exit code: 0, or 1 when it was refused.
int use_slot(const char* path);

}  // namespace etcd_kit

#endif
