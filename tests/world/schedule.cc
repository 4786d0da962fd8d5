#include "world/schedule.h"

#include <algorithm>

#include "world/draw.h"

namespace world {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;
// Numbers of one call for different uses.
constexpr std::uint64_t kUses = 4;
// The decisions of a world among which the points of change are drawn.
constexpr std::uint64_t kDecisions = 20'000;

std::uint64_t number_of(const Process& process, std::uint64_t use) {
  return process.calls * kUses + use;
}

// From 1 ms to `longest_ns`, each power of two as likely as the next.
std::int64_t drawn_span(std::uint64_t number, std::int64_t longest_ns) {
  std::uint64_t powers = 1;
  while (powers < 40 && (kMs << powers) <= longest_ns) ++powers;
  return kMs << below(number, powers);
}

// Without a listed event: the same process, or the next one behind it.
Process* by_default(const Process* running, std::span<Process* const> able) {
  for (Process* each : able) {
    if (running != nullptr && each->index >= running->index) return each;
  }
  return able.front();
}

}  // namespace

Schedule::Schedule(const Script& script, int processes) : script_(script) {
  for (const Event& event : script.events) listed_.emplace(Key{event.process, event.call}, event);
  if (script.rates.strategy != kPriorities) return;
  for (int i = 0; i < processes; ++i)
    priorities_.push_back(draw(script.seed, Purpose::schedule, i, 0) | std::uint64_t{1} << 63);
  lowest_ = std::uint64_t{1} << 62;
  for (std::int64_t i = 0; i < script.rates.changes; ++i) {
    change_points_.push_back(below(
        draw(script.seed, Purpose::schedule, kNobody, static_cast<std::uint64_t>(i)), kDecisions));
  }
}

const Event* Schedule::find(const Process& process, Event::Kind kind) const {
  const auto [first, end] = listed_.equal_range(Key{process.index, process.calls});
  for (auto each = first; each != end; ++each) {
    if (each->second.kind == kind) return &each->second;
  }
  return nullptr;
}

std::vector<Event> Schedule::faults(const Process& process, CallKind kind) {
  std::vector<Event> found;
  if (!script_.listed) {
    if (const auto fault = drawn_fault(process, kind)) found.push_back(*fault);
  } else {
    const auto [first, end] = listed_.equal_range(Key{process.index, process.calls});
    for (auto each = first; each != end; ++each) {
      const Event::Kind what = each->second.kind;
      if (what != Event::Kind::run_next && what != Event::Kind::choose)
        found.push_back(each->second);
    }
  }
  happened_.insert(happened_.end(), found.begin(), found.end());
  return found;
}

std::optional<Event> Schedule::drawn_fault(const Process& process, CallKind kind) const {
  const Rates& rates = script_.rates;
  const bool writes = kind == CallKind::writes;
  const bool sleeps = kind == CallKind::sleeps;
  const std::int64_t aimed = process.guards > 0 ? rates.freeze_guard
                             : sleeps           ? rates.freeze_asleep
                                                : 0;
  const struct {
    Event::Kind kind;
    std::int64_t rate;
  } all[] = {
      {Event::Kind::kill, rates.kill},
      {Event::Kind::freeze, aimed > 0 ? aimed : rates.freeze},
      {Event::Kind::stop, rates.stop},
      {Event::Kind::clock_step, sleeps ? 0 : rates.clock_step},
      {Event::Kind::no_space, writes ? rates.no_space : 0},
      {Event::Kind::interrupt, kind == CallKind::waits ? rates.interrupt : 0},
      {Event::Kind::lose_event, writes || kind == CallKind::closes ? rates.lose_event : 0},
  };
  auto left = static_cast<std::int64_t>(
      below(draw(script_.seed, Purpose::fault, process.index, number_of(process, 0)), 1'000'000));
  for (const auto& each : all) {
    if (left < each.rate) {
      return drawn_event(each.kind, process,
                         draw(script_.seed, Purpose::fault, process.index, number_of(process, 1)));
    }
    left -= each.rate;
  }
  return std::nullopt;
}

Event Schedule::drawn_event(Event::Kind kind, const Process& process, std::uint64_t number) const {
  Event event{kind, process.index, process.calls, 0};
  switch (kind) {
    case Event::Kind::kill:  // half of them come while it sleeps, or later
      if (number % 2 == 0) event.value = drawn_span(mix(number), 4 * kSecond);
      break;
    case Event::Kind::freeze:
    case Event::Kind::stop:
      event.value = drawn_span(number, script_.rates.longest_ns);
      break;
    case Event::Kind::clock_step:
      event.value = (static_cast<std::int64_t>(below(number, 7200)) - 3600) * kSecond;
      break;
    default:
      break;
  }
  return event;
}

bool Schedule::switches(const Process& running) const {
  return happens(draw(script_.seed, Purpose::schedule, running.index, number_of(running, 0)),
                 script_.rates.switches);
}

Process* Schedule::by_priority(Process* running, std::span<Process* const> able) {
  ++decisions_;
  const auto of = [this](const Process* process) -> std::uint64_t& {
    const auto at = static_cast<std::size_t>(process->index);
    if (at >= priorities_.size()) priorities_.resize(at + 1, std::uint64_t{1} << 63);
    return priorities_[at];
  };
  if (running != nullptr && std::ranges::count(change_points_, decisions_) > 0)
    of(running) = --lowest_;
  return *std::ranges::max_element(able, {}, of);
}

Process* Schedule::drawn_next(Process* running, std::span<Process* const> able) {
  if (running == nullptr) return able.front();
  if (script_.rates.strategy == kPriorities) return by_priority(running, able);
  std::vector<Process*> others(able.begin(), able.end());
  if (script_.rates.strategy == kOneLast && able.size() > 1)
    std::erase_if(others,
                  [this](const Process* each) { return each->index == script_.rates.last; });
  const bool goes_on = std::ranges::count(others, running) > 0;
  if (goes_on && !switches(*running)) return running;
  return others[below(draw(script_.seed, Purpose::schedule, running->index, number_of(*running, 1)),
                      others.size())];
}

Process* Schedule::next(Process* running, std::span<Process* const> able) {
  Process* const usual = by_default(running, able);
  if (running == nullptr) return usual;
  if (script_.listed) {
    const Event* const event = find(*running, Event::Kind::run_next);
    if (event == nullptr) return usual;
    const auto found = std::ranges::find(able, event->value, &Process::index);
    if (found == able.end()) return usual;
    happened_.push_back(*event);
    return *found;
  }
  Process* const chosen = drawn_next(running, able);
  if (chosen != usual)
    happened_.push_back({Event::Kind::run_next, running->index, running->calls, chosen->index});
  return chosen;
}

std::uint64_t Schedule::choice(const Process& process, std::uint64_t n) {
  if (n < 2) return 0;
  if (script_.listed) {
    const Event* const event = find(process, Event::Kind::choose);
    if (event == nullptr) return 0;
    happened_.push_back(*event);
    return static_cast<std::uint64_t>(event->value) % n;
  }
  const std::uint64_t number =
      draw(script_.seed, Purpose::kernel, process.index, number_of(process, 1));
  if (!happens(number, script_.rates.choose)) return 0;
  const std::uint64_t chosen = 1 + below(mix(number), n - 1);
  happened_.push_back(
      {Event::Kind::choose, process.index, process.calls, static_cast<std::int64_t>(chosen)});
  return chosen;
}

}  // namespace world
