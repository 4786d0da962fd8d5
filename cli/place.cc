#include "place.h"

#include <cstdlib>

#include "core/host.h"

namespace atmost::cli {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : std::string_view{};
}

}  // namespace

NamingContext naming_context(const Invocation& invocation, Text<255>& host_room) {
  NamingContext around;
  around.option_dir = invocation.dir;
  around.atmost_dir = variable("ATMOST_DIR");
  around.state_home = variable("XDG_STATE_HOME");
  around.home = variable("HOME");
  around.root = user_id() == 0;
  if (invocation.host.empty()) host_room = host_name();
  around.host = invocation.host.empty() ? host_room.view() : invocation.host;
  return around;
}

std::string_view fleet_host(const Invocation& invocation) {
  return invocation.host.empty() ? std::string_view{"fleet"} : invocation.host;
}

Status place(const Invocation& invocation, const NamingContext& around, std::string_view lock,
             LockSpec& to, bool& named) {
  if (traits_of(invocation).has_path) return place_lock(lock, around, to, named);
  named = true;
  return place_fleet_lock(lock, invocation.store, fleet_host(invocation), to);
}

}  // namespace atmost::cli
