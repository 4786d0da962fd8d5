#include "place.h"

#include <cerrno>
#include <cstdlib>

#include "core/outcome.h"
#include "core/parse.h"
#include "core/schemes.h"
#include "options/combine.h"
#include "options/option.h"
#include "options/table.h"
#include "options/words.h"
#include "os/host.h"
#include "report.h"
#include "subcommands.h"

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

namespace {

constexpr std::string_view kOption = "--store=";

// The directory of the lock, or the one in which a lock of that name would be.
bool directory_of(const Invocation& invocation, PathText& to) {
  const NamingContext around = naming_context(invocation);
  if (invocation.operand_count == 0) return lock_directory(around, to).ok();
  ScopedArena texts;
  LockSpec lock;
  bool named = false;
  if (!place_lock(invocation.operands[0], around, texts, lock, named).ok()) return false;
  PathText absolute;
  if (!absolute_path(lock.path, absolute)) return false;
  to.assign(split_path(absolute).directory);
  return true;
}

Error apart() {
  return error_of(Code::usage, 0,
                  "--also: locks on NFS and others are not taken together: name locks of one "
                  "directory");
}

}  // namespace

bool asks_place_first(const Invocation& invocation) {
  return (invocation.subcommand & (kRun | kHold)) == 0 || invocation.die_with.given() ||
         given(invocation, "ttl") || invocation.status_fd >= 0 || !invocation.ping.empty() ||
         !doubtful(invocation).empty();
}

PathText find_shared_place(const Invocation& invocation) {
  PathText directory, url;
  if (invocation.store.empty() && !invocation.request.trust_fs && !invocation.request.with_flock &&
      directory_of(invocation, directory) && !find_shared_store(directory, url))
    url.clear();
  return url;
}

int with_shared_store(Invocation& invocation, std::string_view url,
                      int (*then)(char** argv, Invocation& invocation)) {
  PathText option(kOption);
  option.append(url);
  std::size_t words = 0;
  while (invocation.argv[words] != nullptr) ++words;
  char** const argv = run_arena().array<char*>(words + 2);
  if (argv == nullptr)
    return fail(error_of(Code::internal, ENOMEM, "out of memory"), invocation, 2);
  argv[0] = invocation.argv[0];
  argv[1] = invocation.argv[1];
  argv[2] = const_cast<char*>(option.c_str());
  for (std::size_t i = 2; i <= words; ++i) argv[i + 1] = invocation.argv[i];
  invocation.argv = argv;
  invocation.store = url;
  return then(argv, invocation);
}

bool goes_elsewhere(Invocation& invocation, Outcome& outcome, int& code) {
  if (invocation.service != nullptr) return false;
  const PathText url = find_shared_place(invocation);
  if (url.empty()) {
    if (invocation.also_count > 0) outcome.error = apart();
    return false;
  }
  code = with_shared_store(invocation, url, [](char** argv, Invocation& moved) {
    return become_fleet(scheme_of(moved.store)->program, argv, moved);
  });
  return true;
}

}  // namespace atmost::cli
