// What the user of `atmost history` asked for.
#ifndef ATMOST_LIBEXEC_HISTORY_OPTIONS_H
#define ATMOST_LIBEXEC_HISTORY_OPTIONS_H

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "atmost/event.h"
#include "atmost/result.h"

namespace atmost::history {

// Ends the program: a sentence, and the exit code.
struct Failure : std::runtime_error {
  Failure(Code exit_code, const std::string& message) : std::runtime_error(message), code(exit_code) {}
  explicit Failure(const Error& error) : Failure(error.code, std::string(error.message.view())) {}
  Code code;
};

// How what somebody wanted turned out.
enum class HowItEnded : std::uint8_t { none, success, failure, killed, timed_out, lost, too_soon, busy };

struct Options {
  bool help = false;
  bool version = false;
  bool json = false;
  bool follow = false;
  bool quiet = false;
  bool last_given = false;
  std::size_t last = 0;  // with last_given: only so many, the latest
  std::int64_t since_ns = INT64_MIN;
  std::int64_t until_ns = INT64_MAX;
  std::vector<Event::Kind> kinds;    // empty: all
  std::vector<HowItEnded> outcomes;  // empty: all
  std::vector<std::string> locks;    // empty: all
  std::string dir;
  std::string host;
  std::string log;
};

// Throws Failure with Code::usage.
Options parse_options(int argc, char** argv, std::int64_t now_ns);

const char* help_text();

}  // namespace atmost::history

#endif
