#include "zone.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

namespace atmost::pass {
namespace {

constexpr std::int64_t kLookBack = std::int64_t{25} * 3600;
// The shortest time between two changes that can be distinguished; in real zones it is weeks at
// least.
constexpr std::int64_t kStep = 1800;

// TZ has the value `tz` while this object lives.
class Borrowed {
 public:
  explicit Borrowed(const std::optional<std::string>& tz) {
    if (!tz) {
      tzset();
      return;
    }
    if (const char* before = getenv("TZ")) before_ = before;
    changed_ = true;
    setenv("TZ", tz->c_str(), 1);
    tzset();
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    if (!changed_) return;
    if (before_) {
      setenv("TZ", before_->c_str(), 1);
    } else {
      unsetenv("TZ");
    }
  }

 private:
  bool changed_ = false;
  std::optional<std::string> before_;
};

tm broken_down(std::int64_t seconds) {
  const time_t when = seconds;
  tm parts = {};
  localtime_r(&when, &parts);
  return parts;
}

request::CivilTime civil_of(const tm& parts) {
  return {parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
          parts.tm_wday,        parts.tm_hour,    parts.tm_min};
}

request::CivilTime civil_at(std::int64_t seconds, std::int64_t offset) {
  const time_t shifted = seconds + offset;
  tm parts = {};
  gmtime_r(&shifted, &parts);
  return civil_of(parts);
}

}  // namespace

std::optional<Zone> Zone::named(const std::string& name) {
  if (name.empty() || name[0] == '/' || name[0] == ':' || name.find("..") != std::string::npos ||
      name.find('\0') != std::string::npos) {
    return {};
  }
  const char* directory = getenv("TZDIR");
  const std::string file =
      std::string(directory != nullptr ? directory : "/usr/share/zoneinfo") + "/" + name;
  struct stat status;
  if (name != "UTC" && (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))) return {};
  return Zone(name == "UTC" ? "UTC0" : ":" + name);
}

Zone::Civil Zone::civil(std::int64_t seconds) const {
  const Borrowed borrowed(tz_);
  const tm parts = broken_down(seconds);
  return {civil_of(parts), parts.tm_gmtoff};
}

std::optional<Zone::Change> Zone::last_change(std::int64_t seconds) const {
  const Borrowed borrowed(tz_);
  const auto offset_at = [](std::int64_t at) {
    return static_cast<std::int64_t>(broken_down(at).tm_gmtoff);
  };
  const std::int64_t now_offset = offset_at(seconds);
  std::int64_t same = seconds;
  std::int64_t other = seconds;
  do {
    if (seconds - other >= kLookBack) return {};
    same = other;
    other -= kStep;
  } while (offset_at(other) == now_offset);
  const std::int64_t old_offset = offset_at(other);
  while (same - other > 1) {
    const std::int64_t middle = other + (same - other) / 2;
    (offset_at(middle) == now_offset ? same : other) = middle;
  }
  return Change{same, old_offset, now_offset};
}

Moment look_at(const Zone& zone, std::int64_t seconds) {
  Moment moment;
  moment.seconds = seconds;
  moment.time = zone.civil(seconds).time;
  const std::optional<Zone::Change> change = zone.last_change(seconds);
  if (!change) return moment;
  const std::int64_t forward = change->new_offset - change->old_offset;
  if (forward > 0 && seconds < change->at + forward)
    moment.skipped = civil_at(seconds, change->old_offset);
  if (forward < 0 && seconds < change->at - forward)
    moment.first_time = {change->at + forward, change->at};
  return moment;
}

}  // namespace atmost::pass
