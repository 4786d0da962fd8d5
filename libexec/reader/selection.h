// The options of every program that reads logs: which locks, which time, which log.
#ifndef ATMOST_LIBEXEC_READER_SELECTION_H
#define ATMOST_LIBEXEC_READER_SELECTION_H

#include <getopt.h>

#include <cstdint>
#include <initializer_list>
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

// getopt's table: the options of a selection, --help, --version, --verbose and `own`. The letters
// q, v, h and V are the caller's to put into its short options; it handles h and V.
std::vector<option> options_with(std::initializer_list<option> own);

// The option that getopt just found, if it is one of a selection; false: it is another. Throws
// Failure (usage).
bool take_option(int letter, const char* value, std::int64_t now_ns, Selection& to);

// The lines of --help about them.
extern const char kSelectionHelp[];
extern const char kLockHelp[];

// What getopt's ':' and '?' mean. Throws Failure (usage).
[[noreturn]] void refuse_option(int letter, const std::string& option, const std::string& program);

// "OPTION: WHY" as a Failure (usage).
[[noreturn]] void wrong_option(const std::string& option, const std::string& why);
// `value`, which must not be empty.
std::string not_empty(const std::string& option, const char* value);

}  // namespace atmost::history

#endif
