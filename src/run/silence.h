// When a tree of processes counts as silent: a pure rule. Activity in, silence out; the time is an
// argument.
#ifndef ATMOST_RUN_SILENCE_H
#define ATMOST_RUN_SILENCE_H

#include <cstdint>

#include "core/time.h"
#include "os/activity.h"

namespace atmost::run {

// Less than a millisecond of processor time a second is silence: runtimes that poll use that much
// and do nothing. Time in which nobody looked (a suspended machine, a stopped supervisor) does not
// count as silence.
class Silence {
 public:
  // Stopped after `limit`; zero: never.
  explicit constexpr Silence(Duration limit) : limit_(limit) {}

  // The interval of looks: a twentieth of the limit, so that silence is noticed within a tenth of
  // it.
  static constexpr std::int64_t kLooks = 20;
  // A look takes at most this part of a processor; else the pauses become longer.
  static constexpr std::int64_t kPauseForCost = 1000;

  constexpr bool wanted() const { return !limit_.is_zero() && !limit_.is_forever(); }
  // The limit was reached, at the last look.
  constexpr bool over() const { return over_; }
  // Nothing happened between the last two looks.
  constexpr bool silent() const { return silent_ns_ > 0; }
  // When to look next; kForever: never.
  constexpr std::int64_t next_ns() const { return next_ns_; }
  // True if the look at `now_ns` may be the one that finds the limit reached.
  constexpr bool may_end(std::int64_t now_ns) const {
    return silent_ns_ + counted(now_ns) >= limit_.ns;
  }

  constexpr Duration limit() const { return limit_; }
  // The limit that was reached is another one now. Returns whether the silence may go on.
  constexpr bool goes_on(Duration limit) {
    if (limit <= limit_) return false;
    limit_ = limit;
    over_ = false;
    next_ns_ = wanted() ? plus(last_ns_, {limit_.ns - silent_ns_}) : Duration::kForever;
    return true;
  }

  // Watching begins.
  constexpr void begin(std::int64_t now_ns) {
    last_ns_ = now_ns;
    pause_ns_ = limit_.ns / kLooks;
    next_ns_ = wanted() ? plus(now_ns, {pause_ns_}) : Duration::kForever;
  }

  // Watching ends.
  constexpr void end() { next_ns_ = Duration::kForever; }

  // The activity since the look before. `cost_ns`: the processor time that this look has taken,
  // or, of one look among many that cost less, a kLooks-th of it.
  constexpr void note(std::int64_t now_ns, const os::Activity& seen, std::int64_t cost_ns) {
    const std::int64_t elapsed_ns = now_ns > last_ns_ ? now_ns - last_ns_ : 0;
    fill(cpu_ns_, seen.cpu_ns, elapsed_ns);
    total_ns_ += seen.cpu_ns;
    const bool may_move = seen.unclear || (seen.uncounted && total_ns_ > 0);
    if (seen.moved || may_move || cpu_ns_ >= kSomeNs || now_ns < expected_until_ns_) {
      silent_ns_ = cpu_ns_ = total_ns_ = 0;
    } else {
      silent_ns_ += counted(now_ns);
    }
    // A thread that waits for a processor would do something if it had one.
    over_ = silent_ns_ >= limit_.ns && !seen.runnable;
    last_ns_ = now_ns;
    pause_ns_ = limit_.ns / kLooks;
    if (pause_ns_ < kPauseForCost * cost_ns) pause_ns_ = kPauseForCost * cost_ns;
    const std::int64_t left_ns = limit_.ns - silent_ns_;
    next_ns_ = plus(now_ns, {left_ns > 0 && left_ns < pause_ns_ ? left_ns : pause_ns_});
  }

  // The command reports that it works, and may be silent until `eta` from now.
  constexpr void beat(std::int64_t now_ns, Duration eta) {
    expected_until_ns_ = eta.is_zero() ? 0 : plus(now_ns, eta);
    silent_ns_ = cpu_ns_ = total_ns_ = 0;
    last_ns_ = now_ns;
    if (wanted()) next_ns_ = plus(now_ns, {pause_ns_});
  }

 private:
  static constexpr std::int64_t kSomeNs = 1'000'000;
  static constexpr std::int64_t kPerSecond = 1000;  // a thousandth of the time

  // The processor time beyond a millisecond a second.
  static constexpr void fill(std::int64_t& level, std::int64_t used_ns, std::int64_t elapsed_ns) {
    level += used_ns - elapsed_ns / kPerSecond;
    if (level < 0) level = 0;
  }
  constexpr std::int64_t counted(std::int64_t now_ns) const {
    const std::int64_t elapsed_ns = now_ns > last_ns_ ? now_ns - last_ns_ : 0;
    return elapsed_ns < 2 * pause_ns_ ? elapsed_ns : 2 * pause_ns_;
  }

  Duration limit_;
  bool over_ = false;
  std::int64_t last_ns_ = 0;
  std::int64_t next_ns_ = Duration::kForever;
  std::int64_t pause_ns_ = 0;
  std::int64_t silent_ns_ = 0;
  std::int64_t cpu_ns_ = 0;    // beyond what is silence
  std::int64_t total_ns_ = 0;  // used since the silence began
  std::int64_t expected_until_ns_ = 0;
};

}  // namespace atmost::run

#endif
