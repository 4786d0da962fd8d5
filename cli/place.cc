#include "place.h"

#include <cstdlib>

#include "core/parse.h"
#include "core/schemes.h"
#include "os/host.h"

namespace atmost::cli {
namespace {

std::string_view value_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : std::string_view{};
}

// In the store of a directory, a path is the lock of a file there.
Status place_file(const Invocation& invocation, std::string_view lock, Arena& texts, LockSpec& to) {
  const std::size_t colon = invocation.store.find(':');
  std::string_view directory{invocation.store.data() + colon + 1,
                             invocation.store.size() - colon - 1};
  while (directory.size() > 1 && directory.ends_with('/')) directory.remove_suffix(1);
  PathText absolute;
  const bool fits = absolute_path(lock, absolute);
  const SplitPath split = split_path(absolute);
  if (!fits || split.directory != directory) {
    Error error = error_of(Code::usage, 0, "\"");
    error.message.append(lock).append("\" is not in ").append(directory);
    error.message.append(": use a name, operator:operand, or the path of a file there");
    return error;
  }
  if (Status kept = keep_name(lock, texts, to); !kept.ok()) return kept;
  return keep_path({.directory = invocation.store, .file = split.file}, texts, to.path);
}

}  // namespace

SplitPath split_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t after = slash + 1;
  std::string_view directory{path.data(), after};
  while (directory.size() > 1 && directory.ends_with('/')) directory.remove_suffix(1);
  return {directory, {path.data() + after, path.size() - after}};
}

std::string_view last_part(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash < path.size()) path.remove_prefix(slash + 1);
  return path;
}

NamingContext naming_context(const Invocation& invocation) {
  NamingContext around;
  around.option_dir = invocation.dir;
  around.atmost_dir = value_of("ATMOST_DIR");
  around.state_home = value_of("XDG_STATE_HOME");
  around.home = value_of("HOME");
  around.root = os::user_id() == 0;
  around.host = invocation.host.empty() ? os::kept_host_name() : invocation.host;
  return around;
}

std::string_view fleet_host(const Invocation& invocation) {
  return invocation.host.empty() ? std::string_view{"fleet"} : invocation.host;
}

Status place(const Invocation& invocation, const NamingContext& around, std::string_view lock,
             Arena& texts, LockSpec& to, bool& named) {
  if (scheme_of(invocation).traits.has_path) return place_lock(lock, around, texts, to, named);
  const Result<LockForm> form = classify_lock(lock);
  named = !form.ok() || form.value() != LockForm::path;
  if (scheme_of(invocation.store)->directory && !named)
    return place_file(invocation, lock, texts, to);
  return place_fleet_lock(lock, invocation.store, fleet_host(invocation), texts, to);
}

}  // namespace atmost::cli
