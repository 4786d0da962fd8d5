// The messages that the end of a run causes. Pure.
#ifndef ATMOST_POLICY_OCCASION_H
#define ATMOST_POLICY_OCCASION_H

#include <cstdint>
#include <string_view>

#include "core/outcome.h"
#include "core/request.h"

namespace atmost::policy {

enum class Occasion : std::uint8_t { success, recovered, failure, too_fast, killed, lost, spam };

// Its name in $ATMOST_EVENT.
std::string_view name_of(Occasion occasion);

// The occasion that a run's outcome is; its command may also not have been started. Never
// recovered: that depends on the runs before. REQUIRES: its kind is not `refused`.
Occasion occasion_of(const Outcome& outcome);

constexpr bool is_failure(Occasion occasion) { return occasion > Occasion::recovered; }

// The messages that it causes.
struct Messages {
  Occasion occasion = Occasion::success;
  bool notify = false;       // the request's command for that is run
  bool show_output = false;  // of --output=on-failure
};

// `failures`: the number of runs that failed in a row, this one included; or, if it was a success,
// before it. 0 for a failure if it is not known; then it is reported.
Messages messages_of(const Request& request, const Outcome& outcome, std::uint32_t failures);

// True if messages_of() needs to know `failures`.
constexpr bool counts_failures(const Request& request) {
  if (!request.notify.empty() && (request.notify_on & kTellRecovered) != 0) return true;
  const bool tells = !request.notify.empty() || request.output == OutputTo::on_failure;
  return tells && request.alert_after != 0;
}

}  // namespace atmost::policy

#endif
