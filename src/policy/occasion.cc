#include "occasion.h"

namespace atmost::policy {
namespace {

constexpr std::string_view kNames[] = {"success", "recovered", "failure", "too-fast",
                                       "killed",  "lost",      "spam"};
// Their names in --notify-on. A run that was too fast is a failure, too.
constexpr unsigned kBits[] = {
    0,           kTellRecovered, kTellFailure, kTellFailure | kTellTooFast,
    kTellKilled, kTellLost,      kTellSpam};

}  // namespace

std::string_view name_of(Occasion occasion) { return kNames[static_cast<unsigned>(occasion)]; }

Occasion occasion_of(const Outcome& outcome) {
  if (outcome.kind != Outcome::Kind::ran) return Occasion::failure;
  if (outcome.stopped == Stopped::lost) return Occasion::lost;
  if (outcome.stopped != Stopped::no) return Occasion::killed;
  if (outcome.lost) return Occasion::lost;
  if (outcome.status.signal != 0) return Occasion::killed;
  if (outcome.too_fast) return Occasion::too_fast;
  return outcome.status.success() ? Occasion::success : Occasion::failure;
}

Messages messages_of(const Request& request, const Outcome& outcome, std::uint32_t failures) {
  Messages messages;
  messages.occasion = occasion_of(outcome);
  const std::uint32_t nth = request.alert_after > 0 ? request.alert_after : 1;
  const bool failed = is_failure(messages.occasion);
  if (!failed && failures >= nth) messages.occasion = Occasion::recovered;
  const bool now = !failed || failures % nth == 0;
  const unsigned bits = kBits[static_cast<unsigned>(messages.occasion)] | kTellEvery;
  messages.notify = now && !request.notify.empty() && (bits & request.notify_on) != 0;
  messages.show_output = now && has_failed(outcome);
  return messages;
}

}  // namespace atmost::policy
