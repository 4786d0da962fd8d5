#include "flock.h"

#include <cerrno>

#include "calls.h"
#include "platform.h"

namespace atmost::os {

int try_flock(int fd, LockKind kind) {
  const int operation =
      kind == LockKind::write ? platform::kFlockExclusive : platform::kFlockShared;
  int error;
  do {
    error = calls.flock(fd, operation | platform::kFlockNoWait) == 0 ? 0 : errno;
  } while (error == EINTR);
  return error == EWOULDBLOCK ? EAGAIN : error;
}

int drop_flock(int fd) { return calls.flock(fd, platform::kFlockUnlock) == 0 ? 0 : errno; }

bool flock_above(std::int64_t pid, std::uint64_t device, std::uint64_t inode) {
  while (pid > 1) {
    if (holds_flock(pid, device, inode) == Holding::yes) return true;
    ProcessFacts facts;
    if (process_facts(pid, facts) != 0) return false;
    pid = facts.parent;
  }
  return false;
}

namespace {

class Finder final : public FlockVisitor {
 public:
  Finder(std::uint64_t device, std::uint64_t inode, LockLine& to)
      : device_(device), inode_(inode), to_(to) {}
  bool flock(const LockLine& line) override {
    found = is_about(line, device_, inode_);
    if (found) to_ = line;
    return !found;
  }
  bool found = false;

 private:
  const std::uint64_t device_;
  const std::uint64_t inode_;
  LockLine& to_;
};

}  // namespace

bool find_flock(std::uint64_t device, std::uint64_t inode, LockLine& to) {
  Finder finder(device, inode, to);
  return each_flock(finder) == 0 && finder.found;
}

}  // namespace atmost::os
