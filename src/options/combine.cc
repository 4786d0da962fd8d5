#include "combine.h"

#include <algorithm>

#include "core/lease_time.h"
#include "table.h"

namespace atmost {

Status combine(Settings& settings, const Scheme& store, unsigned taker) {
  if (const Status fit = check_rules(settings, store, taker); !fit.ok()) return fit;
  Request& request = settings.request;
  LockSpec& lock = request.locks[0];
  if (settings.shared) lock.mode = Mode::shared;
  if (settings.shared && !given(settings, "max")) lock.max = kMaxSlots;
  if (settings.exclusive) lock.mode = Mode::exclusive;
  request.if_elapsed.ns -= settings.slack.ns;
  if (request.exec && !given(settings, "until")) request.until = Until::tree;
  const bool for_ever =
      taker == kWait || request.on_busy == OnBusy::join || request.on_busy == OnBusy::supersede;
  if (for_ever && !given(settings, "wait")) request.wait = Duration::forever();
  if (store.traits.leased && !given(settings, "ttl"))
    request.ttl = std::max(request.ttl, shortest_ttl(request.kill_grace));
  return {};
}

std::string_view doubtful(const Settings& settings) {
  const Request& request = settings.request;
  if (request.expire_after.is_zero() && given(settings, "if-elapsed") &&
      request.if_elapsed.is_zero() && !request.if_elapsed_auto)
    return "--expire-after 0 with --if-elapsed 0: each caller stops the one before it, and where "
           "callers come often, none finishes";
  if (!request.expire_after.is_forever() && request.expire_after < request.if_elapsed) {
    return "--expire-after is shorter than --if-elapsed: a command that runs longer is stopped "
           "each time and never finishes";
  }
  return {};
}

}  // namespace atmost
