// The options of `atmost history`, and the events that they ask for.
#ifndef ATMOST_LIBEXEC_HISTORY_OPTIONS_H
#define ATMOST_LIBEXEC_HISTORY_OPTIONS_H

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/event.h"
#include "reader/record.h"
#include "reader/selection.h"
#include "reader/sources.h"

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

// Indexed by HowItEnded; the first, none, has no name.
inline constexpr std::string_view kOutcomeNames[] = {"",          "success", "failure",  "killed",
                                                     "timed_out", "lost",    "too_soon", "busy"};

HowItEnded outcome_of(const Record& record);

class Filter {
 public:
  Filter(const Options& options, std::vector<WantedLock> locks);
  bool wants(const Record& record) const;
  const std::vector<WantedLock>& locks() const { return locks_; }

 private:
  std::int64_t since_;
  std::int64_t until_;
  unsigned kinds_ = 0;     // bits; 0: all
  unsigned outcomes_ = 0;  // bits; 0: all
  std::vector<WantedLock> locks_;
};

}  // namespace atmost::history

#endif
