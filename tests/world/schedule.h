// The process that runs next, and the events that happen to it: drawn from a script's seed and
// rates, or listed in the script. The draws are kept as such a list; the script with the list,
// replayed, is the identical world.
#ifndef ATMOST_TESTS_WORLD_SCHEDULE_H
#define ATMOST_TESTS_WORLD_SCHEDULE_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "world/process.h"
#include "world/script.h"

namespace world {

// The faults that a call can have.
enum class CallKind : std::uint8_t {
  other,
  writes,  // finds no space; loses an event
  closes,  // loses an event
  waits,   // is interrupted
  sleeps,  // not a call's beginning, but the moment when it begins to sleep
};

class Schedule {
 public:
  // The script is borrowed.
  Schedule(const Script& script, int processes);

  // The events of `process` at its present call (Process::calls), which is of this kind; run_next
  // and choose left out.
  std::vector<Event> faults(const Process& process, CallKind kind);

  // The next process of those in `able` (in order of index, not empty) to run, at the present call
  // of `running` (null: at the beginning).
  Process* next(Process* running, std::span<Process* const> able);
  // One of the kernel's answers 0 … n - 1.
  std::uint64_t choice(const Process& process, std::uint64_t n);

  // The events that happened, in order.
  const std::vector<Event>& happened() const { return happened_; }

 private:
  using Key = std::pair<int, std::uint64_t>;  // process and call
  const Event* find(const Process& process, Event::Kind kind) const;
  std::optional<Event> drawn_fault(const Process& process, CallKind kind) const;
  Event drawn_event(Event::Kind kind, const Process& process, std::uint64_t number) const;
  Process* drawn_next(Process* running, std::span<Process* const> able);
  Process* by_priority(Process* running, std::span<Process* const> able);
  bool switches(const Process& running) const;

  const Script& script_;
  std::vector<Event> happened_;
  std::multimap<Key, Event> listed_;
  std::vector<std::uint64_t> priorities_;     // kPriorities: by index; the highest runs
  std::vector<std::uint64_t> change_points_;  // at which decisions a priority changes
  std::uint64_t decisions_ = 0;
  std::uint64_t lowest_ = 0;  // priority, downwards
};

}  // namespace world

#endif
