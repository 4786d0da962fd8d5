// A simulated process, with the kernel's record of it.
#ifndef ATMOST_TESTS_WORLD_PROCESS_H
#define ATMOST_TESTS_WORLD_PROCESS_H

#include <signal.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "world/locks.h"

namespace world {

inline constexpr std::int64_t kNever = INT64_MAX;  // of moments, in ns on the boot clock

class Program;

struct Descriptor {
  int description = 0;
  bool closes_on_exec = false;
};

// A mapping keeps its description, and with it the description's locks, like a descriptor.
struct Mapping {
  char* at = nullptr;
  std::size_t size = 0;
  int description = 0;  // 0: private memory
  std::int64_t offset = 0;
};

// The event that a process which sleeps in a call waits for, beside its deadline and signals.
struct Nothing {};
struct LockWanted {  // until no lock of another owner is in the way
  int inode = 0;
  ByteLock lock;
};
struct FlockWanted {
  int inode = 0;
  ByteLock lock;
};
struct ReadyWanted {  // poll(2)
  struct Entry {
    int description = 0;
    short events = 0;
  };
  std::vector<Entry> entries;
};
struct WordWanted {  // futex(2)
  int inode = 0;
  std::int64_t at = 0;  // in the file
  std::uint32_t expected = 0;
  std::int64_t since_ns = 0;
  bool rung = false;
};
struct SignalWanted {  // sigtimedwait(2)
  std::uint64_t set = 0;
};
struct ChildWanted {  // wait4(2); -1: any
  pid_t pid = -1;
};
using Wanted = std::variant<Nothing, LockWanted, FlockWanted, ReadyWanted, WordWanted, SignalWanted,
                            ChildWanted>;

// Sets of signals: signal n is bit n.
constexpr std::uint64_t bit(int signal) { return std::uint64_t{1} << signal; }

struct Timer {
  int signal = 0;
  std::int64_t due_ns = kNever;
  std::int64_t again_ns = 0;  // 0: once
};

struct Signals {
  std::uint64_t pending = 0;
  std::uint64_t blocked = 0;
  std::map<int, siginfo_t> about;  // the pending ones
  std::map<int, struct sigaction> actions;
  Timer alarm{SIGALRM, kNever, 0};  // setitimer(2)
  std::map<int, Timer> timers;      // timer_create(2), by number
  int next_timer = 1;
};

struct Process {
  enum class State : std::uint8_t {
    ready,   // it runs, or would
    asleep,  // in a call, for `wanted`
    held,    // until a child that shares its memory calls execve(2) or ends
    unborn,  // a child, until it is forked
    zombie,
    ended,
  };

  int index = 0;  // p0, p1, …: of the script's caller; children come behind the callers
  pid_t pid = 0;  // of the present life
  Process* parent = nullptr;
  Program* program = nullptr;
  State state = State::ended;
  bool is_child = false;  // each of its lives begins with a fork
  std::int64_t began_ns = 0;
  bool dying = false;
  int status = 0;  // of wait4(2)
  // How often the scheduler has been asked by it, over all lives: at each call, and again each
  // time when a call sleeps and after each step of its death. Event::call counts these.
  std::uint64_t calls = 0;
  const char* call = "";  // the present or last one
  std::int64_t frozen_until_ns = 0;
  std::int64_t killed_at_ns = kNever;
  bool stopped = false;     // until SIGCONT
  int guards = 0;           // files of which it has byte 0 locked for writing
  bool was_frozen = false;  // in this life
  // Of the present call: an event that it raises is lost; it finds no space; it is interrupted.
  bool loses_event = false;
  bool full_disk = false;
  bool interrupted = false;

  std::map<int, Descriptor> descriptors;
  std::vector<Mapping> mappings;
  int closing = 0;  // the description of which it is giving up the last reference
  void* robust_list = nullptr;
  Wanted wanted;
  std::int64_t deadline_ns = kNever;
  Signals signals;
  std::vector<void*> rooms;  // memory of this life, Kernel::room()

  // pthread_atfork(3); null: none.
  struct {
    void (*before)() = nullptr;
    void (*in_parent)() = nullptr;
  } at_fork;

  bool alive() const {
    return state != State::zombie && state != State::ended && state != State::unborn;
  }
};

// The program that processes run. It lies where all processes see it and lives longer than they do.
class Program {
 public:
  virtual ~Program() = default;
  // On the process's own stack; the return ends the process.
  virtual void run(Process& self) = 0;
  // True if the process, which has ended or was killed, begins again with a new number.
  virtual bool runs_again(const Process& self) = 0;
};

}  // namespace world

#endif
