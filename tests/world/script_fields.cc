#include "world/script.h"

namespace world {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kYear = 366 * 86'400 * kSecond;
constexpr std::int64_t kMillion = 1'000'000;

constexpr std::string_view kNoYes[] = {"no", "yes"};
constexpr std::string_view kModes[] = {"plain", "shared", "exclusive"};
constexpr std::string_view kBusy[] = {"fail", "join", "supersede"};
constexpr std::string_view kTooSoon[] = {"fail", "skip", "wait"};
constexpr std::string_view kFrom[] = {"start", "finish", "success"};
constexpr std::string_view kEndings[] = {"success", "failure", "not-started"};
constexpr std::string_view kKinds[] = {"run", "exec", "library", "hold", "exectimes", "drain"};
constexpr std::string_view kStrategies[] = {"even", "priorities", "one-last"};

template <class T>
constexpr Field<T> count(std::string_view name, std::int64_t T::*value, std::int64_t least,
                         std::int64_t most) {
  return {name, value, Unit::count, least, most, {}};
}
template <class T>
constexpr Field<T> time(std::string_view name, std::int64_t T::*value) {
  return {name, value, Unit::time, 0, kYear, {}};
}
template <class T>
constexpr Field<T> word(std::string_view name, std::int64_t T::*value,
                        std::span<const std::string_view> words) {
  return {name, value, Unit::word, 0, static_cast<std::int64_t>(words.size()) - 1, words};
}

constexpr Field<Run> kRunFields[] = {
    count("lock", &Run::lock, 1, 9),
    count("also", &Run::also, 0, 9),
    count("max", &Run::max, 0, 1 << 18),
    count("take", &Run::take, 1, 1024),
    word<Run>("mode", &Run::mode, kModes),
    time("wait", &Run::wait_ns),
    time("if-elapsed", &Run::if_elapsed_ns),
    word<Run>("elapsed-from", &Run::elapsed_from, kFrom),
    count("rate", &Run::rate, 0, 1024),
    time("window", &Run::window_ns),
    word<Run>("on-too-soon", &Run::on_too_soon, kTooSoon),
    word<Run>("on-busy", &Run::on_busy, kBusy),
    count("queue-max", &Run::queue_max, 0, 1 << 20),
    word<Run>("flock", &Run::flock, kNoYes),
    count("slot", &Run::slot, 0, 64),
    time("lasts", &Run::lasts_ns),
    word<Run>("ends", &Run::ends, kEndings),
    time("child", &Run::child_ns),
    time("rest", &Run::rest_ns),
};
constexpr Field<Caller> kCallerFields[] = {
    word<Caller>("kind", &Caller::kind, kKinds),
    word<Caller>("until-close", &Caller::until_close, kNoYes),
    word<Caller>("keeping", &Caller::keeping, kNoYes),
};
constexpr Field<Rates> kRateFields[] = {
    word<Rates>("strategy", &Rates::strategy, kStrategies),
    count("changes", &Rates::changes, 0, kMillion),
    count("last", &Rates::last, 0, 63),
    count("switch", &Rates::switches, 0, kMillion),
    count("kill", &Rates::kill, 0, kMillion),
    count("freeze", &Rates::freeze, 0, kMillion),
    count("freeze-guard", &Rates::freeze_guard, 0, kMillion),
    count("freeze-asleep", &Rates::freeze_asleep, 0, kMillion),
    time("longest", &Rates::longest_ns),
    count("stop", &Rates::stop, 0, kMillion),
    count("clock-step", &Rates::clock_step, 0, kMillion),
    count("no-space", &Rates::no_space, 0, kMillion),
    count("interrupt", &Rates::interrupt, 0, kMillion),
    count("lose-event", &Rates::lose_event, 0, kMillion),
    count("choose", &Rates::choose, 0, kMillion),
};
using Value = EventWord::Value;
constexpr EventWord kEventWords[] = {
    {Event::Kind::run_next, "run", Value::process},
    {Event::Kind::kill, "kill", Value::delay},
    {Event::Kind::freeze, "freeze", Value::time},
    {Event::Kind::stop, "stop", Value::time},
    {Event::Kind::clock_step, "clock-step", Value::step},
    {Event::Kind::no_space, "no-space", Value::none},
    {Event::Kind::interrupt, "interrupt", Value::none},
    {Event::Kind::lose_event, "lose-event", Value::none},
    {Event::Kind::choose, "choose", Value::answer},
};
static_assert([] {
  for (std::size_t i = 0; i < std::size(kEventWords); ++i)
    if (kEventWords[i].kind != static_cast<Event::Kind>(i)) return false;
  return true;
}());

}  // namespace

template <>
std::span<const Field<Run>> fields() {
  return kRunFields;
}
template <>
std::span<const Field<Caller>> fields() {
  return kCallerFields;
}
template <>
std::span<const Field<Rates>> fields() {
  return kRateFields;
}

std::span<const EventWord> event_words() { return kEventWords; }
const EventWord& event_word(Event::Kind kind) {
  return kEventWords[static_cast<std::size_t>(kind)];
}

}  // namespace world
