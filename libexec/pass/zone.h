// Civil time in a pass's time zone, and the effect of clock changes.
#ifndef ATMOST_LIBEXEC_PASS_ZONE_H
#define ATMOST_LIBEXEC_PASS_ZONE_H

#include <cstdint>
#include <optional>
#include <string>

#include "request/classes.h"

namespace atmost::pass {

// The rules of one time zone, from the C library. The environment is as before after every call, so
// that commands see their caller's TZ. Single-threaded.
class Zone {
 public:
  // `tz` is a value of the TZ variable; without one: the machine's own zone.
  explicit Zone(std::optional<std::string> tz) : tz_(std::move(tz)) {}

  // The zone of that name in the time zone database ("Europe/Oslo"); none if there is no such zone.
  static std::optional<Zone> named(const std::string& name);

  struct Civil {
    request::CivilTime time;
    std::int64_t offset = 0;  // seconds east of UTC
  };
  Civil civil(std::int64_t seconds) const;

  // The last time within 25 hours (no change is longer than a day) before or at `seconds` that the
  // offset changed.
  struct Change {
    std::int64_t at = 0;          // the first second of the new offset
    std::int64_t old_offset = 0;  // seconds east of UTC
    std::int64_t new_offset = 0;
  };
  std::optional<Change> last_change(std::int64_t seconds) const;

 private:
  std::optional<std::string> tz_;
};

// A moment, with the local times at which the classes of `when` are evaluated.
//
// An hour that the clock skipped still happens: for as long as was skipped, right after the change,
// a moment also carries the time the old clock would show. An hour that the clock repeats happens
// once: in the repetition an atom whose `when` names hours runs only if it did not run the first
// time.
struct Moment {
  std::int64_t seconds = 0;
  request::CivilTime time;
  std::optional<request::CivilTime> skipped;  // the time that was skipped instead
  struct Span {
    std::int64_t begin = 0;
    std::int64_t end = 0;  // not included
  };
  std::optional<Span> first_time;  // in a repetition: the moment when the same hour came first
};

Moment look_at(const Zone& zone, std::int64_t seconds);

}  // namespace atmost::pass

#endif
