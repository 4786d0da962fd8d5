// Names of values, as the history (docs/monitoring.md), --json and --status-fd write them.
#ifndef ATMOST_NAMES_H
#define ATMOST_NAMES_H

#include <cstddef>
#include <string_view>

#include "core/outcome.h"

namespace atmost {

// Indexed by the enumerators, in their order.
inline constexpr std::string_view kModeNames[] = {"plain", "shared", "exclusive"};
inline constexpr std::string_view kStoppedNames[] = {
    "no", "max_runtime", "lost", "taken_over", "killed", "idle", "caller_gone"};
inline constexpr std::string_view kStopReasonNames[] = {"overdue", "replace", "kill", "idle",
                                                        "unsupervised"};
inline constexpr std::string_view kWhyNames[] = {
    "none",  "no_slot",  "owed",   "zero",  "drained",    "ancestor",   "taking_over", "joined",
    "guard", "survivor", "immune", "flock", "queue_full", "superseded", "foreign"};

template <std::size_t N, class E>
constexpr std::string_view name_of(const std::string_view (&names)[N], E value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : std::string_view("unknown");
}

}  // namespace atmost

#endif
