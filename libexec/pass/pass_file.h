// A pass file, read and found right as a whole.
#ifndef ATMOST_LIBEXEC_PASS_PASS_FILE_H
#define ATMOST_LIBEXEC_PASS_PASS_FILE_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/request.h"
#include "core/time.h"

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

struct Atom {
  std::string operation;  // the key `operator`, which C++ keeps for itself
  std::string operand;
  std::vector<std::string> command;  // with shell = true: /bin/sh, -c and the line
  Duration if_elapsed{};
  Rate rate;
  Duration expire_after = Duration::forever();
  Duration max_runtime{};
  Duration max_idle{};
  bool max_idle_auto = false;
  Duration min_runtime{};
  bool if_elapsed_auto = false, expire_auto = false, max_runtime_auto = false,
       min_runtime_auto = false;
  Duration kill_grace = Duration::seconds(2);
  std::optional<Duration>
      ttl;  // of its lease in a fleet; none: 15s, or as long as its kill_grace wants
  std::uint32_t max = 1;
  OutputTo output = OutputTo::show;
  std::int64_t output_max = kOutputMax;
  std::string notify;  // a command for sh -c; empty: none
  std::uint8_t notify_on = kTellByDefault;
  std::string ping;  // as --ping takes it; empty: none
  bool ping_output = false;
  std::uint32_t alert_after = 0;
  bool each_host = false;  // its lock is a file of this host, whatever store there is
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

// Reads TOML text. Either everything is right (`faults` is empty), or `to` is not to be used.
// `remarks` are things to know that stop nothing.
void read_pass_file(std::string_view text, PassFile& to, std::vector<Remark>& faults,
                    std::vector<Remark>& remarks);

// The bytes of the file at `path`; none with `why_not` otherwise. As root a file that others can
// write or replace (itself, or a directory on the way to it) is refused: `not_ours` is true then.
std::optional<std::string> load_file(const std::string& path, std::string& why_not, bool& not_ours);

}  // namespace atmost::pass

#endif
