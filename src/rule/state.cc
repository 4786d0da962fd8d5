#include "state.h"

#include <utility>

namespace atmost::rule {
namespace {

// Of two runs that end at once, the one that ended first may be the last to record it.
bool is_later(const Stamp& one, const Stamp& other) {
  return one.known && one.same_boot && other.same_boot && one.boot_ns > other.boot_ns;
}

}  // namespace

bool finish(State& to, const Held& held, Ending ending, const Instant& now) {
  if (ending == Ending::not_started && to.token == held.token) {
    // A later admission would be the newest, whatever became of ours; and one that was
    // forgotten since is not brought back.
    if (!to.last.start.known) return false;
    to.last.start = held.start_before;
    to.recorded = held.recorded_before;
    return true;
  }
  if (!is_finish(ending)) return false;
  const Stamp end = stamp_of(now);
  if (!is_later(to.last.finish, end)) to.last.finish = end;
  if (ending == Ending::success && !is_later(to.last.success, end)) to.last.success = end;
  return true;
}

std::uint32_t edit(State& to, const Edit& what) {
  switch (what.what) {
    case Edit::What::refusal:
      if (to.refusals != UINT32_MAX) ++to.refusals;
      return to.refusals;
    case Edit::What::end:
      if (!what.failed) return std::exchange(to.failures, 0);
      if (to.failures != UINT32_MAX) ++to.failures;
      return to.failures;
    case Edit::What::forget:
      to.last = {};
      to.recorded = 0;
      to.unknown_before = {};
      to.refusals = to.failures = 0;
      break;
    case Edit::What::drain:
    case Edit::What::resume:
      if (what.slot == 0) to.drained = what.what == Edit::What::drain;
      break;
    case Edit::What::learn:
    case Edit::What::recall:
    case Edit::What::limit:
      break;
  }
  return 0;
}

bool mended(Stamp& stamp, const Instant& now) {
  if (!stamp.known || age_ns(stamp, now) >= 0) return false;
  stamp = stamp_of(now);
  return true;
}

std::uint64_t next_token(const State& state, const Instant& now) {
  // A store with a floor has a better clock than the asker's.
  const bool ours = state.token_floor == 0 && now.real_ns > 0;
  const auto by_clock = static_cast<std::uint64_t>(ours ? now.real_ns / 1000 : 0);
  const std::uint64_t known = state.token > state.token_floor ? state.token : state.token_floor;
  return known + 1 > by_clock ? known + 1 : by_clock;
}

}  // namespace atmost::rule
