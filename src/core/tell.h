// The messages of limiter/notifier.cc to libexec/tell: by variables, because a value in a command
// line can be seen by every user.
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

// The words in front of a program that make it run as the command's user, each with kEndOfWord
// behind it. Then the program itself keeps its user, who may write the log, and only starts another
// one with these words, which reports on kReport, a descriptor: lines of "to<TAB>why".
inline constexpr std::string_view kRunAs = "ATMOST_TELL_RUN_AS";
inline constexpr char kEndOfWord = '\x1f';
inline constexpr std::string_view kReport = "ATMOST_TELL_REPORT";
// --ping: "start", or the exit code.
inline constexpr std::string_view kPing = "ATMOST_TELL_PING";
// The URL itself, or a descriptor of the file that holds it. Removed before a command is started.
inline constexpr std::string_view kUrl = "ATMOST_TELL_URL";
inline constexpr std::string_view kUrlFrom = "ATMOST_TELL_URL_FROM";
// A UUID, the same at the start and at the end of a run.
inline constexpr std::string_view kRunId = "ATMOST_TELL_RUN_ID";
// A descriptor that hangs up when the ping of the start has been sent or given up.
inline constexpr std::string_view kAfter = "ATMOST_TELL_AFTER";
// --ping-output: a descriptor of the kept output, and the number of bytes of its end that are
// whole.
inline constexpr std::string_view kOutput = "ATMOST_TELL_OUTPUT";
inline constexpr std::string_view kOutputEnd = "ATMOST_TELL_OUTPUT_END";

}  // namespace atmost::tell

#endif
