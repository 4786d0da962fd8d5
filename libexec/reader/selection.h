// The options of every program that reads logs: the locks, the time and the log.
#ifndef ATMOST_LIBEXEC_READER_SELECTION_H
#define ATMOST_LIBEXEC_READER_SELECTION_H

#include <getopt.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace atmost::history {

struct Selection {
  std::vector<std::string> locks;     // empty: all
  std::int64_t since_ns = INT64_MIN;  // ns since 1970; from here on
  std::int64_t until_ns = INT64_MAX;  // and before this
  std::string dir, host;              // empty: the usual
  std::vector<std::string> logs;      // none: the usual
  bool quiet = false;                 // do not report lines that could not be read
};

// Options of a program itself have values from here on, or are letters.
inline constexpr int kOwnOptions = 512;

// The command line of a program.
struct CommandLine {
  const char* program;  // "atmost stats"
  std::string help;     // the answer to --help
  std::string letters;  // of its own options, as getopt(3) takes them
  std::vector<option> own;
};

// Reads its own options by `take`, and then the operands. True: --help or --version was given, and
// is answered. Throws Failure (usage).
bool read_command_line(int argc, char** argv, CommandLine line, std::vector<std::string>& operands,
                       const std::function<void(int letter, const char* value)>& take);

// The same for a program that reads logs: also the options of a selection, whose help follows its
// own. The operands are locks.
bool read_selection(int argc, char** argv, CommandLine line, std::int64_t now_ns, Selection& to,
                    const std::function<void(int letter, const char* value)>& take);

// "OPTION: WHY" as a Failure (usage).
[[noreturn]] void wrong_option(const std::string& option, const std::string& why);
// `value`, which must not be empty.
std::string not_empty(const std::string& option, const char* value);

// As getopt_long(3) with its global variables; an abbreviated option is an unknown one ('?'), and
// argv[optind - 1] names it.
int next_option(int argc, char** argv, const char* letters, const option* all);

// A duration before `now_ns`; of local time the beginning of today, of yesterday or of the latest
// such weekday (mon), or the latest such time of day (08:00); RFC 3339 (without an offset: local
// time; a date alone: its first moment); or @SECONDS since 1970. In ns since 1970. Throws Failure
// (usage), naming the option.
std::int64_t parse_when(const std::string& option, const std::string& text, std::int64_t now_ns);

}  // namespace atmost::history

#endif
