// The options of `atmost history`.
#ifndef ATMOST_LIBEXEC_HISTORY_OPTIONS_H
#define ATMOST_LIBEXEC_HISTORY_OPTIONS_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/event.h"
#include "reader/selection.h"

namespace atmost::history {

// The outcome of a request.
enum class HowItEnded : std::uint8_t {
  none,
  success,
  failure,
  killed,
  timed_out,
  lost,
  too_soon,
  busy
};

struct Options {
  bool json = false;
  bool follow = false;
  bool last_given = false;
  std::size_t last = 0;              // with last_given: only so many, the latest
  std::vector<Event::Kind> kinds;    // empty: all
  std::vector<HowItEnded> outcomes;  // empty: all
  Selection selection;
};

// False: --help or --version was given, and is answered. Throws Failure (usage).
bool read_options(int argc, char** argv, std::int64_t now_ns, Options& to);

}  // namespace atmost::history

#endif
