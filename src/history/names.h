// Names in the format (docs/history-format.md): written by line.cc, read by record.cc and by
// people.
#ifndef ATMOST_HISTORY_NAMES_H
#define ATMOST_HISTORY_NAMES_H

#include <cstddef>
#include <string_view>

#include "core/event.h"

namespace atmost::history {

inline constexpr int kVersion = 1;

// Indexed by the enumerators, in their order.
inline constexpr std::string_view kKindNames[] = {"admitted",  "denied",   "expired",
                                                  "signalled", "ended",    "lost",
                                                  "stopping",  "vanished", "undelivered"};
inline constexpr std::string_view kModeNames[] = {"plain", "shared", "exclusive"};
inline constexpr std::string_view kStoppedNames[] = {
    "no", "max_runtime", "lost", "taken_over", "killed", "idle", "caller_gone"};
inline constexpr std::string_view kStopReasonNames[] = {"overdue", "replace", "kill", "idle"};
inline constexpr std::string_view kWhyNames[] = {
    "none",   "no_slot", "owed",     "zero",   "drained", "ancestor",   "taking_over",
    "joined", "guard",   "survivor", "immune", "flock",   "queue_full", "superseded"};
inline constexpr std::size_t kKinds = sizeof kKindNames / sizeof kKindNames[0];

template <std::size_t N, class E>
constexpr std::string_view name_of(const std::string_view (&names)[N], E value) {
  const auto index = static_cast<std::size_t>(value);
  return index < N ? names[index] : std::string_view("unknown");
}

}  // namespace atmost::history

#endif
