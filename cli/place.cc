#include "place.h"

#include <cstdlib>

#include "atmost/host.h"

namespace atmost::cli {
namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : std::string_view{};
}

}  // namespace

Surroundings surroundings(const Invocation& invocation, Text<255>& host_room) {
  Surroundings around;
  around.option_dir = invocation.dir;
  around.atmost_dir = variable("ATMOST_DIR");
  around.state_home = variable("XDG_STATE_HOME");
  around.home = variable("HOME");
  around.root = user_id() == 0;
  if (invocation.host.empty()) host_room = host_name();
  around.host = invocation.host.empty() ? host_room.view() : invocation.host;
  return around;
}

}  // namespace atmost::cli
