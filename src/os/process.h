// Other processes, as /proc shows them. In a PORTABLE build there is no /proc: nothing can be seen
// or proven, and every function here reports that. The same holds for the /proc of another pid
// namespace (unshare(1) without --mount-proc): its numbers mean other processes.
#ifndef ATMOST_OS_PROCESS_H
#define ATMOST_OS_PROCESS_H

#include <cstdint>
#include <string_view>

#include "core/text.h"
#include "file.h"

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

// True if `user` started the program that the process runs: false for a set-user-ID program that
// got its environment from another user. False as well when that cannot be seen.
bool started_by(std::int64_t pid, std::uint32_t user);

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

// A process's user and name, for messages. Not reliable enough for decisions.

struct ProcessLabel {
  std::uint32_t user = 0;
  Text<63> name;  // the process's own choice (comm, proc(5)): any bytes
};

// False when there is no such process, or none can be seen (no /proc).
bool process_label(std::int64_t pid, ProcessLabel& to);

// Finding processes by a variable in the environment they were started with, or by an open file.

// A mark by which processes are found whose parents have gone: a variable in the environment they
// were started with. Its value is a list of process ids with colons between.

// True if the environment that `pid` was started with has `pid_in_mark` in the list of variable
// `name`. False as well when that cannot be seen: another user's process, one that has overwritten
// its environment, no /proc.
bool is_marked(std::int64_t pid, const char* name, std::int64_t pid_in_mark);
// The value of variable `name` in that environment. False when there is none or it cannot be seen,
// as above.
bool started_with(std::int64_t pid, const char* name, PathText& to);
// True if a descriptor of `pid` between 3 and 9 is open on `/proc/OPENED/limits`, opened while
// `opened` ran: so a process is found that was forked and has started no program since, as the
// subshells of a script are. False as well when that cannot be seen.
bool has_open(std::int64_t pid, std::int64_t opened);
// Makes this process's own environment, as others see it, one without that variable.
void hide_mark(const char* name);

}  // namespace atmost::os

#endif
