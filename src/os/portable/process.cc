#include "../process.h"

#include <unistd.h>

#include <cerrno>

#include "../calls.h"
#include "../locks.h"

namespace atmost::os {

// POSIX gives information about no other process except our parent.
int process_facts(std::int64_t pid, ProcessFacts& to) {
  if (pid != calls.getpid()) return ENOSYS;
  to = {};
  to.parent = calls.getppid();
  return 0;
}

int process_words(std::int64_t, char*, std::size_t, std::size_t&) { return ENOSYS; }

int process_credentials(std::int64_t pid, Credentials& to) {
  if (pid != calls.getpid()) return ENOSYS;
  to = {geteuid(), getegid(), getuid(), geteuid()};
  return 0;
}

bool is_pending(std::int64_t, int) { return false; }

bool started_by(std::int64_t, std::uint32_t) { return false; }

Holding holds_byte(std::int64_t, std::uint64_t, std::uint64_t, std::int64_t) {
  return Holding::unreadable;
}

Holding find_lock(std::int64_t, std::uint64_t, std::uint64_t, std::int64_t, LockLine&) {
  return Holding::unreadable;
}

Holding each_lock(std::int64_t, std::uint64_t, std::uint64_t, LockLineVisitor&) {
  return Holding::unreadable;
}

Holding holds_flock(std::int64_t, std::uint64_t, std::uint64_t) { return Holding::unreadable; }

int each_flock(FlockVisitor&) { return ENOSYS; }

bool is_about(const LockLine&, std::uint64_t, std::uint64_t) { return false; }

int each_process(ProcessVisitor&) { return ENOSYS; }

bool ProcessHandle::means(std::int64_t) const { return false; }

bool process_label(std::int64_t, ProcessLabel&) { return false; }

}  // namespace atmost::os
