// The events of a world, as a text that people read and change: its callers with each of their
// runs, how often something is done to them, and, once the world has run, what was done and when.
//
//     world 1
//     seed 2016
//     rates switch=300000 kill=500
//     caller kind=library keeping=yes
//       run max=2 wait=600s
//     events listed
//     event p1 8277 run p0
//     event p0 12 freeze 16400ms
//
// Durations are a whole number and one of ns, us, ms, s. A setting that is left out has its
// default. `#` begins a comment.
#ifndef ATMOST_TESTS_WORLD_SCRIPT_H
#define ATMOST_TESTS_WORLD_SCRIPT_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace world {

// Something that is done before call `call` (1, 2, …: the process's own count) of a process.
// Several may be done before the same call, in the order of the list.
struct Event {
  enum class Kind : std::uint8_t {
    run_next,    // value: the process that runs next
    kill,        // SIGKILL; value: so long after the call, ns
    freeze,      // value: for so long it does not run, ns
    stop,        // SIGSTOP; value: SIGCONT comes after so long, ns
    clock_step,  // value: the wall clock is set by so much, ns; may be negative
    no_space,    // the call fails with ENOSPC
    interrupt,   // the call fails with EINTR
    lose_event,  // an event of inotify is lost
    choose,      // value: which of the answers that the kernel may give, 0, 1, …
  };
  Kind kind = Kind::run_next;
  int process = 0;
  std::uint64_t call = 1;
  std::int64_t value = 0;

  bool operator==(const Event&) const = default;
};

// All fields that a script can set are 64-bit, those with words as indices into them, so that one
// table serves to read, print and shorten (fields(), below).
enum Mode : std::int64_t { kPlain, kShared, kExclusive };
enum OnTooSoon : std::int64_t { kFail, kSkip, kWait };
enum ElapsedFrom : std::int64_t { kStart, kFinish, kSuccess };
enum Ends : std::int64_t { kSucceeds, kFails, kNotStarted };
enum OnBusy : std::int64_t { kRefused, kJoin, kSupersede };

// One request of a caller.
struct Run {
  std::int64_t lock = 1;  // which lock: 1…9
  std::int64_t also = 0;  // a second lock taken together with it: 1…9; 0: none
  std::int64_t max = 1;
  std::int64_t take = 1;
  std::int64_t mode = kPlain;
  std::int64_t wait_ns = 0;  // 0: refused at once
  std::int64_t if_elapsed_ns = 0;
  std::int64_t elapsed_from = kStart;
  std::int64_t rate = 0;  // so many admissions in any window; 0: no such limit
  std::int64_t window_ns = 1'000'000'000;
  std::int64_t on_too_soon = kFail;
  std::int64_t on_busy = kRefused;
  std::int64_t queue_max = 1 << 20;  // the caller waits beside fewer than that
  std::int64_t flock = 0;            // --with-flock
  std::int64_t slot = 0;             // drain: which one; 0: the whole lock
  std::int64_t lasts_ns =
      1'000'000;  // from the admission to the release; drain: until it is resumed
  std::int64_t ends = kSucceeds;
  std::int64_t child_ns = 0;  // library: so long lives a child that is forked at the admission
  std::int64_t rest_ns = 0;   // behind the release, before the next run

  bool operator==(const Run&) const = default;
};

enum Kind : std::int64_t { kRun, kExec, kLibrary, kHold, kExectimes, kDrain };

struct Caller {
  std::int64_t kind = kRun;
  std::int64_t until_close = 0;  // exec: the close of the descriptor ends the hold
  std::int64_t keeping = 0;      // library: descriptors are kept between the runs
  std::vector<Run> runs;

  bool operator==(const Caller&) const = default;
};

// The next process: any at a call where a switch is drawn; by priorities with `changes` random
// change points; one process runs only when no other can.
enum Strategy : std::int64_t { kEven, kPriorities, kOneLast };

// The number of draws in a million calls.
struct Rates {
  std::int64_t strategy = kEven;
  std::int64_t changes = 3;  // kPriorities: how often a priority changes in a world
  std::int64_t last = 0;     // kOneLast: which process
  std::int64_t switches = 0;
  std::int64_t kill = 0;
  std::int64_t freeze = 0;
  std::int64_t freeze_guard = 0;            // instead of `freeze`, for a process that has a guard
  std::int64_t freeze_asleep = 0;           // instead, for one that begins to sleep in a call
  std::int64_t longest_ns = 4'000'000'000;  // of a freeze or stop
  std::int64_t stop = 0;
  std::int64_t clock_step = 0;
  std::int64_t no_space = 0;
  std::int64_t interrupt = 0;
  std::int64_t lose_event = 0;
  std::int64_t choose = 0;  // not the kernel's first answer

  bool operator==(const Rates&) const = default;
};

struct Script {
  std::uint64_t seed = 0;
  std::string plant;   // the planted fault that it was found with; empty: none
  std::string breaks;  // the invariant that it broke; empty: none
  Rates rates;
  std::vector<Caller> callers;  // process 0, 1, …
  // Exactly `events` is done. Otherwise they are drawn by seed and rates, and `events` is empty.
  bool listed = false;
  std::vector<Event> events;

  bool operator==(const Script&) const = default;
};

struct ScriptError {
  std::size_t line = 0;  // 1, 2, …; 0: the text as a whole
  std::string text;
};

// A setting of T: `name=value` in a script.
enum class Unit : std::uint8_t { count, time, word };
template <class T>
struct Field {
  std::string_view name;
  std::int64_t T::*value;
  Unit unit = Unit::count;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::span<const std::string_view> words = {};
};
template <class T>
std::span<const Field<T>> fields();  // of Run, Caller and Rates

// The notation of an event in a script: its name, and the words behind it.
struct EventWord {
  enum class Value : std::uint8_t { none, process, delay, time, step, answer };
  Event::Kind kind;
  std::string_view name;
  Value value;
};
std::span<const EventWord> event_words();
const EventWord& event_word(Event::Kind kind);
// 16400000000 is 16400ms: the largest unit of which it is a whole number.
std::string duration(std::int64_t ns);

// The first mistake, if the text has one; `script` is then useless.
std::optional<ScriptError> parse(std::string_view text, Script& script);
// parse() reads the same from it.
std::string print(const Script& script);
std::string print(const Event& event);  // its line

}  // namespace world

#endif
