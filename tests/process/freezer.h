// A cgroup of the test's own whose processes can be frozen, as by `docker pause` and a container's
// suspension.
#ifndef ATMOST_TESTS_PROCESS_FREEZER_H
#define ATMOST_TESTS_PROCESS_FREEZER_H

#include <sys/types.h>

#include <string>

namespace witness {

// Version 1's freezer or version 2's cgroup.freeze, whichever this machine lets us make. The
// processes in it must be gone or moved when it ends: then it is removed.
class Freezer {
 public:
  Freezer();
  ~Freezer();
  Freezer(const Freezer&) = delete;
  Freezer& operator=(const Freezer&) = delete;

  bool works() const { return !path_.empty(); }
  bool take(pid_t pid) const;
  // Returns at once: the kernel freezes what runs in user space or sleeps, each process at its next
  // chance.
  bool freeze() const;
  bool frozen() const;  // all of them are
  bool thaw() const;

 private:
  bool put(const char* file, const std::string& text) const;
  bool try_below(const std::string& hierarchy, const char* state_file);

  std::string path_;
  std::string state_file_;
};

}  // namespace witness

#endif
