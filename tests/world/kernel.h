// The simulated kernel: names, files, descriptors, locks, words, signals and clocks, with the
// semantics of Linux from its manual pages. The product reaches it through the table of
// src/os/calls.h; what that part of it which is simulated lacks ends the world with an error that
// names the call. All of its state lies in memory that all processes share.
#ifndef ATMOST_TESTS_WORLD_KERNEL_H
#define ATMOST_TESTS_WORLD_KERNEL_H

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "world/backend.h"
#include "world/draw.h"
#include "world/locks.h"
#include "world/process.h"
#include "world/schedule.h"

namespace world {

inline constexpr std::int64_t kBegin = 1'000'000'000'000;               // boot clock, ns
inline constexpr std::int64_t kRealAtBoot = 1'700'000'000'000'000'000;  // wall clock, ns

inline constexpr uid_t kUser = 1000;
inline constexpr int kFirstDescriptor = 3;  // 0, 1 and 2 are the streams

struct Inode {
  int number = 0;
  bool directory = false;
  mode_t mode = 0;
  uid_t user = 0;
  int links = 1;
  std::int64_t size = 0;
  std::map<std::int64_t, std::string> pages;  // by number; those that are missing are zeros
  ByteLocks locks;
  ByteLocks flocks;  // flock(2)
};

struct InotifyEvent {
  int watch = 0;
  std::uint32_t mask = 0;
  std::string name;
};
struct Inotify {
  struct Watch {
    int inode = 0;
    std::uint32_t mask = 0;
  };
  std::deque<InotifyEvent> queue;
  std::map<int, Watch> watches;
  int next_watch = 1;
};

struct Description {
  int references = 0;  // descriptors and mappings
  int inode = 0;       // 0: not a file
  // Of /proc: a file's text, or the names in a folder.
  std::optional<std::string> text;
  std::optional<std::vector<std::string>> names;
  int flags = 0;  // of open(2)
  std::int64_t offset = 0;
  int signal = 0;  // F_SETSIG
  std::unique_ptr<Inotify> inotify;
  std::uint64_t signals = 0;  // signalfd(2): those that it shows
};

// A word in a file.
struct Word {
  int inode = 0;
  std::int64_t at = 0;
};

// The events that a witness gets, by the process that runs.
class Observer {
 public:
  virtual ~Observer() = default;
  // Byte 0 of a file, locked for writing.
  virtual void guard_taken(Process&, int /*inode*/) {}
  virtual void guard_dropped(Process&, int /*inode*/) {}
  virtual void locks_changed(Process&, int /*inode*/) {}
  // It begins to die: its robust words, mappings and descriptors go from now on.
  virtual void dies(Process&) {}
  virtual void ended(Process&) {}
  virtual void paused(Process&, std::int64_t /*until_ns*/) {}
  virtual void clock_stepped(std::int64_t /*by_ns*/) {}
  // It finds no space, or an event is lost.
  virtual void disturbed(Process&) {}
  // Before each leap of the time, when no process can run.
  virtual void idle(std::int64_t /*until_ns*/) {}
};

// The reason for the end of a sleep: what was wanted is there; the deadline has come; a signal
// handler ran.
enum class Slept : std::uint8_t { granted, late, interrupted };

class Kernel {
 public:
  // All are borrowed. `traced`: trace() keeps its lines.
  Kernel(const Script& script, Backend& backend, Observer& observer, bool traced);
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  ~Kernel();

  // ---- The world.
  Process& add_process(Program& program);
  // A process that begins when another one forks it.
  Process& add_child(Program& program);
  // Runs it until all processes have ended or it was stopped. Returns why the world itself failed;
  // empty: it did not.
  std::string run();
  // The first call ends the world at the next call of a process; later ones do nothing.
  void stop(std::string why);
  const std::string& stopped() const { return stopped_; }
  // The world cannot go on: it lacks something.
  [[noreturn]] void fail(std::string why);

  std::int64_t now_ns() const { return now_ns_; }
  std::int64_t real_less_boot_ns() const { return real_less_boot_ns_; }
  std::uint64_t calls() const { return calls_; }
  std::uint64_t switches() const { return switches_; }
  const Schedule& schedule() const { return schedule_; }
  const Script& script() const { return script_; }
  const std::vector<std::unique_ptr<Process>>& processes() const { return processes_; }
  Process& running() { return *running_; }
  // Null: home.
  const Process* runner() const { return running_; }

  // A line "time p3 call text", as printf(3).
  void trace(const Process& process, const char* format, ...) __attribute__((format(printf, 3, 4)));
  const std::string& traced() const { return traced_; }

  // Memory of the running process's present life, freed without a destructor at its end.
  void* room(std::size_t size, std::size_t alignment);

  // ---- Steps of a process (kernel_steps.cc).
  // A call begins: time passes, events of the schedule happen, others may run, signals arrive.
  void enter(Process& process, const char* call, CallKind kind);
  Slept sleep(Process& process, Wanted wanted, std::int64_t deadline_ns);
  // Another process may run here.
  void pause(Process& process);
  // `status`: of wait4(2).
  [[noreturn]] void end(Process& process, int status);
  bool can_run(Process& process);
  // One of the answers 0 … n - 1 that a kernel may give.
  std::uint64_t choice(const Process& process, std::uint64_t n) {
    return schedule_.choice(process, n);
  }
  // fork(2), in a program that runs handlers: `child`, which is unborn, has the descriptors `kept`;
  // the others that it had were closed in it before the call returned there.
  void fork(Process& parent, Process& child, const std::vector<int>& kept);
  // For the backends: the process that runs first.
  Process* begin();
  // Frees the memory that a process has mapped, in the address space that has it.
  static void unmap_all(Process& process);

  // ---- Names and files (kernel_files.cc).
  int find(std::string_view path) const;  // number of the inode; 0: none
  int make_file(std::string_view path, mode_t mode, bool directory);
  Inode& inode(int number) { return *inodes_[static_cast<std::size_t>(number)]; }
  const Inode& inode(int number) const { return *inodes_[static_cast<std::size_t>(number)]; }
  std::map<std::string, int, std::less<>>& names() { return names_; }
  static void write(Inode& inode, const void* from, std::size_t size, std::int64_t at);
  static std::size_t read(const Inode& inode, void* to, std::size_t size, std::int64_t at);

  // ---- Descriptors (kernel_descriptors.cc).
  int open_description(Process& process, Description made, bool closes_on_exec);
  // Null, with errno: EBADF.
  Description* description_of(const Process& process, int fd);
  Description& description(int number) { return descriptions_.at(number); }
  std::map<int, Description>& descriptions() { return descriptions_; }
  static int lowest_free(const Process& process, int from);
  void close(Process& process, int fd);
  void drop_reference(Process& process, int description);

  // ---- Events (kernel_notify.cc).
  void raise(Process& by, int inode, std::uint32_t mask, std::string_view name = {});
  // Ends the watches of a file that has neither a name nor a description any more.
  void forget_unused(Process& by, int inode);

  // ---- Locks (kernel_locks.cc).
  // True if the process owns locks of this owner, by itself or by a descriptor or mapping.
  static bool owns(const Process& process, const LockOwner& owner);
  void lock(Process& process, int inode, const ByteLock& lock);
  void unlock(Process& process, int inode, const ByteLock& bytes);
  void drop_locks(Process& process, int inode, const LockOwner& owner);

  // ---- Words in mapped files (kernel_words.cc).
  // Nothing: the address lies in no mapping of a file.
  std::optional<Word> word_at(const Process& process, const void* address) const;
  std::uint32_t read_word(const Word& word) const;
  // The number of processes that sleep on the word; with `wakes` they go on.
  int ring(const Word& word, bool wakes);

  // ---- Readiness (kernel_poll.cc): which of poll(2)'s events a description has.
  short ready_events(const Process& process, int description, short events) const;

  // ---- Signals (kernel_signals.cc).
  static void send(Process& to, int signal, const siginfo_t& about);
  // Signals arrive; handlers run. True if one did.
  bool deliver(Process& process);
  void expire_timers(Process& process);
  // The signals that would run a handler or end the process.
  static std::uint64_t deliverable(const Process& process);
  Process* find_process(pid_t pid);

  Observer& observer() { return observer_; }

 private:
  void begin_life(Process& process);
  Process* choose(Process* asks);
  bool leap();
  void step(Process& process);
  void suffer(Process& process, CallKind kind);
  bool wish_granted(const Process& process) const;
  void happen(Process& process, const Event& event);
  template <class Change>
  void change_locks(Process& process, int inode, const LockOwner& owner, Change change);
  void release_words(Process& process);
  void release_files(Process& process);
  void orphan_children(const Process& process);

  const Script& script_;
  Backend& backend_;
  Observer& observer_;
  Schedule schedule_;
  const bool keeps_trace_;
  std::string traced_;
  std::string stopped_;
  std::string failed_;
  std::vector<std::unique_ptr<Process>> processes_;
  Process* running_ = nullptr;
  pid_t next_pid_ = 100;
  std::int64_t now_ns_ = kBegin;
  std::int64_t real_less_boot_ns_ = kRealAtBoot;
  std::uint64_t calls_ = 0;
  std::uint64_t switches_ = 0;
  std::map<std::string, int, std::less<>> names_;
  std::vector<std::unique_ptr<Inode>> inodes_;
  std::map<int, Description> descriptions_;
  int next_description_ = 1;
};

// Between the product's sets of signals and the kernel's.
std::uint64_t bits(const sigset_t& set);
sigset_t set_of(std::uint64_t bits);

// The kernel of the world that runs; the table's functions act on it.
extern Kernel* kernel;

// A call of the running process, from its entry to its return.
class Call {
 public:
  explicit Call(const char* name, CallKind kind = CallKind::other);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();
  Process& process() { return process_; }
  // Sets errno.
  static int fail(int error);

 private:
  Process& process_;
};

// Puts the simulated calls into atmost::os::calls.
void install_table();

}  // namespace world

#endif
