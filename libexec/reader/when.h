// Moments in the formats that options accept.
#ifndef ATMOST_LIBEXEC_READER_WHEN_H
#define ATMOST_LIBEXEC_READER_WHEN_H

#include <cstdint>
#include <string>

namespace atmost::history {

// A duration before `now_ns`; of local time the beginning of today, of yesterday or of the latest
// such weekday (mon), or the latest such time of day (08:00); RFC 3339 (without an offset: local
// time; a date alone: its first moment); or @SECONDS since 1970. In ns since 1970. Throws Failure
// (usage), naming the option.
std::int64_t parse_when(const std::string& option, const std::string& text, std::int64_t now_ns);

}  // namespace atmost::history

#endif
