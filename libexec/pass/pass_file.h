// A pass file that was read and found right as a whole.
#ifndef ATMOST_LIBEXEC_PASS_PASS_FILE_H
#define ATMOST_LIBEXEC_PASS_PASS_FILE_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options/option.h"

namespace atmost::pass {

// Counted from 1; columns in characters. Line 0: the file as a whole.
struct SourcePlace {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// One sentence about one place.
struct Remark {
  SourcePlace at;
  std::string words;
};

// An option that an atom takes, and its value in the notation of a command line.
struct OptionValue {
  const Option* option;
  std::string value;
};

struct Atom {
  std::string operation;  // the key `operator`, which C++ keeps for itself
  std::string operand;
  std::vector<std::string> command;  // with shell = true: /bin/sh, -c and the line
  std::vector<OptionValue> words;    // of [defaults], then its own
  std::uint32_t max = 1;             // of the words
  bool each_host = false;            // its lock is a file of this host, whatever store there is
  std::map<std::string, std::string> environment;
  std::string directory;     // empty: the pass's own
  std::string user;          // empty: the pass's own
  std::string when;          // empty: everywhere and always
  bool names_hours = false;  // `when` depends on the hour of the day
  SourcePlace at;

  std::string name() const { return operation + ":" + operand; }
};

// A class of the user's own: set when the host's name matches, or when the command exits 0.
struct Group {
  std::vector<std::string> hosts;  // names or shell patterns
  std::vector<std::string> command;
};

struct PassFile {
  std::string time_zone;  // empty: the machine's own
  std::map<std::string, Group> groups;
  std::vector<Atom> atoms;  // in the file's order; no two with one name
};

// Sets the options of the words, whose texts are borrowed; `to` is made anew.
Status set_words(const std::vector<OptionValue>& words, Settings& to);

// Reads TOML text. `to` may be used only if `faults` is empty. `remarks` stop nothing.
void read_pass_file(std::string_view text, PassFile& to, std::vector<Remark>& faults,
                    std::vector<Remark>& remarks);

// The bytes of the file at `path`; none with `why_not` otherwise. As root a file that others can
// write or replace (itself, or a directory on the way to it) is refused: `not_ours` is true then.
std::optional<std::string> load_file(const std::string& path, std::string& why_not, bool& not_ours);

}  // namespace atmost::pass

#endif
