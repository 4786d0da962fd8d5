// The messages between the front tier and programs of the back tier that it starts.
#ifndef ATMOST_PROGRAMS_H
#define ATMOST_PROGRAMS_H

#include <string_view>

// The messages between the C library and atmost-relay: the library asks stores of many machines
// by a process of that program, which runs `atmost run` with a second one as its command.
namespace atmost::relay {

inline constexpr const char* kProgram = "atmost-relay";

// atmost-relay ask SOCKET -- ARGUMENT...: of `atmost run`, up to LOCK.
// atmost-relay hold SOCKET: the command.
// SOCKET: the number of a descriptor, one end of a socket pair (os/packets.h).
inline constexpr const char* kAsk = "ask";
inline constexpr const char* kHold = "hold";

// To the library: admitted. "held TOKEN SLOT", with one end of a socket pair of which only the
// command has the other.
inline constexpr std::string_view kHeld = "held ";
// To the library: `atmost run` has ended. "over", then each on a line of its own: the exit code,
// kind ("busy", "too_soon", "ran", "failed"), reason, seconds to come back in ("null": never), how
// many are held, the lock, a message.
inline constexpr std::string_view kOver = "over\n";
// From the library to the one that asks: the lock is held; if the connection is closed from now
// on, the command goes on.
inline constexpr std::string_view kKeep = "keep";
// From the library to the command: the end of the work. If the connection is closed without it, it
// has failed.
inline constexpr std::string_view kSuccess = "success";
inline constexpr std::string_view kFailure = "failure";

}  // namespace atmost::relay

// The messages of limiter/notifier.cc to libexec/tell: by variables, because a value in a command
// line can be seen by every user.
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
