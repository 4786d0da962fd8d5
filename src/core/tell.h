// What limiter/telling.cc says to libexec/tell: by variables, because a value in a command line can
// be seen by every user.
#ifndef ATMOST_TELL_H
#define ATMOST_TELL_H

#include <string_view>

namespace atmost::tell {

inline constexpr std::string_view kProgram = "atmost-tell";
inline constexpr std::string_view kPrefix = "ATMOST_TELL_";

// A descriptor that the program keeps open while it runs.
inline constexpr std::string_view kEnd = "ATMOST_TELL_END";
// The run, as the history's line about its end (or its admission).
inline constexpr std::string_view kLine = "ATMOST_TELL_LINE";
// Where to log what could not be delivered; its mode as a decimal number, and the letters of
// LogPlace's flags: g mode_given, c check_directories, o optional. Left out: nowhere.
inline constexpr std::string_view kLog = "ATMOST_TELL_LOG";
inline constexpr std::string_view kLogMode = "ATMOST_TELL_LOG_MODE";
// --notify: for sh -c.
inline constexpr std::string_view kNotify = "ATMOST_TELL_NOTIFY";

}  // namespace atmost::tell

#endif
