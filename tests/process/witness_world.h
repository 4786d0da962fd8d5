// The processes of a test, and the kernel's view of a lock file: nothing here asks atmost.
#ifndef ATMOST_TESTS_PROCESS_WITNESS_WORLD_H
#define ATMOST_TESTS_PROCESS_WITNESS_WORLD_H

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "temp_dir.h"

namespace witness {

using Bound = std::chrono::milliseconds;
using Argv = std::vector<std::string>;

// Asks until the answer is yes or the bound is over; returns the last answer. The bound only limits
// how long a failure takes.
bool eventually(Bound bound, const std::function<bool()>& condition);

// Checks that the condition stays true for the whole span: for events that must not happen.
bool stays(Bound span, const std::function<bool()>& condition);

std::string under_test(
    const std::string& program);  // a program of $ATMOST_BIN (default: ../../bin from here)
std::string helper(const std::string& program);  // a program that stands beside this test

std::string read_file(const std::string& path);  // empty when it cannot be read
std::int64_t now_ns();                           // CLOCK_MONOTONIC

// The locks on one file as a stranger sees them. Keeps one read-only descriptor open for its whole
// life, so that looking raises no event in anybody who watches the file.
class Probe {
 public:
  explicit Probe(const std::string& path);  // creates the file, empty, if there is none
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  bool slot_held(unsigned slot) const { return first_locked(7 + slot, 1).has_value(); }
  unsigned slots_held(unsigned most) const;
  // The lowest byte in [start, start + length) that a write lock of somebody covers; length 0: to
  // the end.
  std::optional<std::int64_t> first_locked(std::int64_t start, std::int64_t length) const;

 private:
  int fd_ = -1;
};

// The tickets of waiters lie from here on (docs/internals/lock-map.md).
inline constexpr std::int64_t kTickets = std::int64_t{1} << 48;

struct Streams {
  int in = -1;   // -1: /dev/null
  int out = -1;  // -1: ours
  int err = -1;  // -1: ours
};

// Makes the test process the reaper of everything it starts, and leaves nothing behind: the
// destructor kills every descendant, and nothing but descendants.
class World {
 public:
  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Start each process in a group of its own, below a parent of the same session: in an orphaned
  // group, which a test without a terminal is in, the kernel does not stop a process by SIGTSTP.
  bool own_groups = false;
  TempDir logs;  // runs of locks that are given by a path are logged here
  pid_t start(const Argv& argv, const Streams& streams = {});
  // Runs to the end; the wait(2) status. Fails the test by an exception when it does not end within
  // the bound.
  int run(const Argv& argv, const Streams& streams = {}, Bound bound = Bound(20'000));

  // Takes note of everything that ended, orphans included; returns those pids, each once.
  std::vector<pid_t> reap();
  // Started here (or inherited) and ended. The status stays available.
  bool ended(pid_t pid);
  std::optional<int> wait(pid_t pid, Bound bound = Bound(20'000));

  std::vector<pid_t> children_of(pid_t pid) const;
  std::vector<pid_t> descendants() const;
  // Sends a signal if `pid` is (still) a descendant of ours. With a death signal, waits until it is
  // dead.
  bool signal_descendant(pid_t pid, int signal, bool await_death = false);
  // Ends all descendants with SIGKILL and reaps them.
  void kill_all();

 private:
  bool descends(pid_t pid) const;
  void take_note();
  std::map<pid_t, int> statuses_;
  std::vector<pid_t> gone_;  // and not yet returned by reap()
};

// "exit 75", "signal 9": for messages and comparisons.
std::string words(int status);

// The one letter of /proc/PID/stat; 0 if there is no such process.
char state_of(pid_t pid);
pid_t parent_of(pid_t pid);
std::string name_of(pid_t pid);
bool alive(pid_t pid);  // exists and is not a zombie

}  // namespace witness

#endif
