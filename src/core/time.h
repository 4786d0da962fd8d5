// Durations and moments, in nanoseconds. Time is an argument everywhere: nothing below limiter/
// asks a clock for "now".
#ifndef ATMOST_TIME_H
#define ATMOST_TIME_H

#include <compare>
#include <cstdint>

namespace atmost {

// A length of time, never negative; forever() is longer than any other and stays so under plus().
struct Duration {
  std::int64_t ns = 0;

  static constexpr std::int64_t kForever = INT64_MAX;
  static constexpr Duration forever() { return {kForever}; }
  static constexpr Duration seconds(std::int64_t s) { return {s * 1'000'000'000}; }
  static constexpr Duration millis(std::int64_t ms) { return {ms * 1'000'000}; }
  constexpr bool is_forever() const { return ns == kForever; }
  constexpr bool is_zero() const { return ns == 0; }
  friend constexpr auto operator<=>(Duration, Duration) = default;
};

// base + span without overflow; forever when either is.
constexpr std::int64_t plus(std::int64_t base_ns, Duration span) {
  if (base_ns == Duration::kForever || span.ns > Duration::kForever - (base_ns > 0 ? base_ns : 0)) {
    return Duration::kForever;
  }
  return base_ns + span.ns;
}

// One moment on both clocks. boot_ns (CLOCK_BOOTTIME) counts suspended time and cannot be stepped;
// it means nothing outside one boot. real_ns (CLOCK_REALTIME, since 1970) can be stepped by any
// process with the right.
struct Instant {
  std::int64_t real_ns = 0;
  std::int64_t boot_ns = 0;
  bool given = false;  // by --now: then only real_ns counts
};

// A moment as stored in a lock: an Instant and whether it belongs to the running boot.
struct Stamp {
  std::int64_t real_ns = 0;
  std::int64_t boot_ns = 0;
  bool same_boot = false;
  bool known = false;
};

// Time from then to now, in ns: by the boot clock within one boot, by the wall clock across boots
// or when `now` was given. Negative when `then` lies in the future (a stepped wall clock, a forged
// record): the caller decides.
constexpr std::int64_t age_ns(const Stamp& then, const Instant& now) {
  return then.same_boot && !now.given ? now.boot_ns - then.boot_ns : now.real_ns - then.real_ns;
}

}  // namespace atmost

#endif
