// Starting programs, and reading their status changes.
#ifndef ATMOST_OS_SPAWN_H
#define ATMOST_OS_SPAWN_H

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/outcome.h"
#include "core/text.h"

namespace atmost::os {

// A program to start, as execvp(3) takes it: searched for in envp's PATH (/bin:/usr/bin without
// one) when argv[0] has no slash, run by /bin/sh when the kernel does not know its format.
// Everything is borrowed for the call.
struct Program {
  char* const* argv = nullptr;  // NULL-terminated, at least one
  char* const* envp = nullptr;  // NULL-terminated
  // Close-on-exec descriptors that the program shall inherit nevertheless.
  const int* inherit = nullptr;
  unsigned inherit_count = 0;
  // It gets them under numbers that no script uses by hand (move_high()); ours stay what they are.
  bool apart = false;
  // Its standard output and standard error; -1: ours.
  int output = -1;
  // It holds back the signals that the open SignalGate holds back: for programs that finish what a
  // signal must not interrupt.
  bool signals_held = false;
  // spawn: the signal that the kernel sends it when this process dies, 0: none. It is not sent to
  // the program's own children, nor to a set-id program. No effect in a PORTABLE build.
  int signal_at_our_death = 0;
};

// Becomes the program. Returns only if that failed: the errno value, EACCES rather than ENOENT when
// a file of that name was found that may not be executed. The descriptors to inherit stay
// inheritable then.
int become(const Program& program);

// Where the search looks for a program without a slash: $PATH, or /bin:/usr/bin without one.
std::string_view search_path(char* const* envp);

// True if the search would find a file of that name that any user may execute, whose path `found`
// gets then. False for a name with a slash.
bool is_in_path(std::string_view name, PathText* found = nullptr);

struct Started {
  std::int64_t pid = 0;  // > 0: the program runs
  int fork_error = 0;    // no process could be made (EAGAIN, ENOMEM)
  // The program could not be executed, as in become(); nothing is left to wait for.
  int exec_error = 0;
};

// Starts the program in a child: same process group, session, terminal and descriptors; the signal
// mask and dispositions that the open SignalGate found (without a gate: the present ones, and then
// handlers of the caller may run in the child until it execs). Returns once the program runs or
// could not be started. Nothing ends the child when this process dies, unless signal_at_our_death
// does.
Started spawn(const Program& program);

// Starts the program and waits until it has ended, however it ends. Errors: as spawn().
Started run_to_end(const Program& program);

// A status change of a child, from waitpid(2).
struct ChildNews {
  enum class Change : std::uint8_t { ended, stopped, continued };

  std::int64_t pid = 0;  // 0: no status change to read
  Change change = Change::ended;
  int stopped_by = 0;  // the signal
  // At its end: how, and what it and the children it waited for used.
  ExitStatus end;
  std::int64_t cpu_ns = 0;
  std::int64_t peak_kib = 0;

  // Sets the three from the status of waitpid(2).
  void read_status(int wait_status);
};

// Never blocks. 0, or ECHILD: there is no child left. A child whose end was reported has been
// reaped.
int child_news(ChildNews& to);
// True if this process has any child, ended ones included; reads no status change.
bool has_children();

// While alive, processes below us whose parent ends become our children (PR_SET_CHILD_SUBREAPER;
// without effect in a PORTABLE build). Not inherited by children; kept across exec.
class Adoption {
 public:
  Adoption();
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;
  ~Adoption();

 private:
  [[maybe_unused]] bool was_on_ = false;
};

// True if it has an effect.
extern const bool kAdoptsOrphans;

// Ends this process at once with `code`: no exit handlers, no buffers written.
[[noreturn]] void exit_now(int code);

// Ends this process exactly as `status` says: the same code, or the same signal (default
// disposition, unblocked, no core file), and 128 + signal should that not end us.
[[noreturn]] void end_as(const ExitStatus& status);

// For spawn.cc and its two platforms only: the exec of a new process.

// become(), fit to run in a process that shares its parent's memory: no heap, no locks, little
// stack. Returns the errno value.
int execute(const Program& program);

// Frees what execute() left in memory shared with a child that has since started its program.
void clean_up_after_execute();

// Starting a program from inside another one's process, which must not notice it as a child.
// Starts the program (spawn.h) as no child of ours: it becomes a child of init, or of the nearest
// process above us that adopts orphans. Our process gets no SIGCHLD, and no wait of another thread
// returns, whether or not SIGCHLD is ignored. The program begins with every signal blocked, with
// the signals ignored that we ignore, and with all of our descriptors that are not close-on-exec.
// 0 or an errno value: of the fork, or of the exec as from become(). Blocks until the program is
// executed. Any thread. PORTABLE: there is a child that ends at once, and its SIGCHLD.
int start_unseen(const Program& program);

// Starting a program that goes on when this process and all above it have ended.
// Starts the program (spawn.h) in a session of its own and as no child of ours: it becomes a child
// of init, or of the nearest process above us that adopts orphans. Its standard input is /dev/null,
// and if it is `silent` the other two streams are, too. Of all other descriptors it gets those that
// `program` names. 0 or an errno value: of the fork, or of the exec as from become(). Blocks until
// the program is executed. The caller may have other threads.
int start_detached(const Program& program, bool silent);

// Closes every descriptor from `first` on but those of `keep`.
void close_all_but(const int* keep, unsigned count, int first);

// Blocks until the other end of the pipe is closed, or `at_most_ms` are over.
void await_hangup(int fd, int at_most_ms);

// Fills `to` with random bytes. 0 or an errno value.
int random_bytes(void* to, std::size_t size);

}  // namespace atmost::os

#endif
