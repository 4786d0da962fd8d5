// Other processes, as /proc shows them. In a PORTABLE build there is no /proc: nothing can be seen
// or proven, and every function here reports that. The same holds for the /proc of another pid
// namespace (unshare(1) without --mount-proc): its numbers mean other processes.
#ifndef ATMOST_OS_PROCESS_H
#define ATMOST_OS_PROCESS_H

#include <cstdint>
#include <string_view>

#include "core/text.h"
#include "fd.h"

namespace atmost::os {

struct ProcessFacts {
  std::int64_t parent = 0;  // 0: none, or outside our pid namespace
  std::int64_t group = 0;
  std::int64_t session = 0;
  char state = '?';  // proc(5): R S D T t Z X I
  // The threads that have not ended; the main thread counts as long as it can be waited for.
  std::int64_t threads = 1;
  // On the boot clock; the kernel gives it in steps of a clock tick (10 ms)
  std::int64_t start_boot_ns = 0;
  // The processor time of children that it has waited for, and of theirs; in steps of a clock tick.
  std::int64_t reaped_cpu_ns = 0;
  Text<15> name;  // its own choice; at first that of its program's file

  // Ended, though its parent may not have noticed. A process whose main thread alone has ended
  // (pthread_exit(3)) runs on.
  bool ended() const { return state == 'X' || (state == 'Z' && threads <= 1); }
};

// The text of /proc/PID/stat. The name in it is the process's own choice: parentheses, blanks,
// newlines, anything.
bool parse_process_stat(std::string_view text, ProcessFacts& to);

// 0; ESRCH: no such process, which is certain; EACCES: it exists, but /proc hides it from this user
// (the mount option hidepid); ENOSYS: no /proc; or the error of reading.
int process_facts(std::int64_t pid, ProcessFacts& to);

// The process's command line as it is now (the process may have rewritten it), each word ended by a
// NUL, at most `size` bytes. 0 or an error as process_facts().
int process_words(std::int64_t pid, char* to, std::size_t size, std::size_t& got);

// The child of `ancestor` through which `pid` descends from it (`pid` itself if it is that child);
// 0 when it does not, or that cannot be proven. A pid that is recycled meanwhile does not falsify
// the answer. REQUIRES: `ancestor` cannot be recycled meanwhile: this process, or one watched by a
// ProcessHandle.
std::int64_t branch_below(std::int64_t pid, std::int64_t ancestor);

// For one pass over all processes: finds those that are not below `ancestor`, from one look at
// each. The result for a parent is cached for its children, so that a pass is fast on a machine
// with thousands of processes. A descendant may be misclassified while processes end around it; the
// next scan starts with a fresh cache. REQUIRES: as branch_below().
class Outsiders {
 public:
  explicit Outsiders(std::int64_t ancestor);
  // `facts`: those of `pid`, just read.
  bool have(std::int64_t pid, ProcessFacts facts);

 private:
  static constexpr std::int64_t kRemembered = 1024;

  void remember(std::int64_t pid) { known_[pid % kRemembered] = static_cast<std::int32_t>(pid); }

  const std::int64_t ancestor_;
  std::int64_t started_ns_ = 0;
  std::int32_t known_[kRemembered] = {};
};

// This process's parent, and its parent, and so on, as they were at the construction: a set that
// can only lose members.
class Ancestors {
 public:
  Ancestors();
  bool have(std::int64_t pid) const;

 private:
  static constexpr int kMost = 64;

  std::int64_t pids_[kMost];
  int count_ = 0;
  bool whole_ = true;  // if not, it is looked up
};

// True if `pid` is this process's parent, or its parent's parent, and so on.
bool is_ancestor(std::int64_t pid);

// True if any process or thread has this number, zombies included; true when that is not known.
// Needs no /proc.
bool process_exists(std::int64_t pid);

// The ids a process acts with, and the two others that kill(2) checks for the right to signal it.
// 0 or an error as process_facts(). In a PORTABLE build only those of this process are known.
struct Credentials {
  std::uint32_t user = 0;
  std::uint32_t group = 0;
  std::uint32_t real_user = 0;
  std::uint32_t saved_user = 0;

  bool wholly(std::uint32_t uid) const {
    return user == uid && real_user == uid && saved_user == uid;
  }
};
int process_credentials(std::int64_t pid, Credentials& to);
// Those in the text of /proc/PID/status (proc(5): "Uid:" and "Gid:", each real, effective, saved).
bool parse_process_ids(std::string_view text, Credentials& to);

// True if the signal was sent to the process as a whole and has not arrived: another one like it
// would be lost (signal(7)). False where that cannot be seen.
bool is_pending(std::int64_t pid, int signal);

// 0 when the process is gone.
std::int64_t process_group(std::int64_t pid);

// One "lock:" line of /proc/PID/fdinfo/FD (fs/locks.c, lock_get_status).
struct LockLine {
  bool description = false;  // OFDLCK; else POSIX
  bool write = false;
  std::int64_t pid = 0;       // -1 for description-owned
  unsigned device_major = 0;  // of the filesystem; most have the same for st_dev
  unsigned device_minor = 0;
  std::uint64_t inode = 0;
  std::int64_t start = 0;
  std::int64_t end = INT64_MAX;  // the last byte; INT64_MAX: to the end of all bytes

  bool covers(std::int64_t byte) const { return start <= byte && byte <= end; }
};

// False for any other line, flock and lease lines included.
bool parse_lock_line(std::string_view line, LockLine& to);
// The same for a line about a flock(2) that is held, there or in /proc/locks (which has no "lock:"
// in front).
bool parse_flock_line(std::string_view line, LockLine& to);

// True if `user` started the program that the process runs: false for a set-user-ID program that
// got its environment from another user. False as well when that cannot be seen.
bool started_by(std::int64_t pid, std::uint32_t user);

class LockLineVisitor {
 public:
  virtual void lock(const LockLine& line) = 0;

 protected:
  ~LockLineVisitor() = default;
};

enum class Holding : std::uint8_t { no, yes, unreadable };

// True if the process has a descriptor of the file (`device`, `inode` as fstat gives them) through
// which a write lock on `byte` is held: its own, or one of an open file description that it
// inherited. `unreadable`: another user's process, or no /proc. Opens no file of the process. Says
// nothing about the next moment: open a ProcessHandle first, ask, and the handle then still means
// the process that was asked about.
Holding holds_byte(std::int64_t pid, std::uint64_t device, std::uint64_t inode, std::int64_t byte);
// The same, and shows that lock.
Holding find_lock(std::int64_t pid, std::uint64_t device, std::uint64_t inode, std::int64_t byte,
                  LockLine& to);

// Shows every lock on the file that is held through a descriptor of the process (as above); once
// for each descriptor that leads to it. `yes` when there was one.
Holding each_lock(std::int64_t pid, std::uint64_t device, std::uint64_t inode,
                  LockLineVisitor& visitor);

// The same for a flock(2) on the file (flock.h).
Holding holds_flock(std::int64_t pid, std::uint64_t device, std::uint64_t inode);

class ProcessVisitor {
 public:
  // False ends the walk.
  virtual bool process(std::int64_t pid, const ProcessFacts& facts) = 0;

 protected:
  ~ProcessVisitor() = default;
};

// Shows every process that can be seen, threads not counted, ascending by pid; one that starts or
// ends meanwhile may or may not be shown. 0 or an errno value (ENOSYS: no /proc).
int each_process(ProcessVisitor& visitor);

// A handle that cannot mean a later process of the same pid (pidfd_open(2), Linux 5.3).
class ProcessHandle {
 public:
  // 0; ESRCH: no such process; ENOSYS, EPERM: no such handles here. Close-on-exec.
  int open(std::int64_t pid);
  bool is_open() const { return fd_.open(); }
  // 0; ESRCH: it has ended and was reaped; EPERM: not ours to signal. Signal 0 only asks.
  int send(int signal) const;
  // With a value for the receiver (EventWait::signal_value); not 0.
  int send_value(int signal, std::int64_t value) const;
  // With a number that the receiver's gate gives as Arrival::relayed_for.
  int send_number(int signal, int number) const;
  // True if the process runs; a zombie does not.
  bool alive() const;
  // True if `pid` is the process of this handle in /proc: if so, /proc/PID is about this process.
  bool means(std::int64_t pid) const;
  // Readable (poll(2)) from the process's end on; borrowed.
  int descriptor() const { return fd_.get(); }
  // The same, to be kept open: the caller owns it.
  int release() { return fd_.release(); }
  // Blocks until it has ended (true), or `span_ns` are over.
  bool ends_within(std::int64_t span_ns) const;

 private:
  Fd fd_;
};

}  // namespace atmost::os

#endif
