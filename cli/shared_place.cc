#include "shared_place.h"

#include <cerrno>

#include "core/outcome.h"
#include "core/schemes.h"
#include "options/combine.h"
#include "options/table.h"
#include "os/host.h"
#include "place.h"
#include "report.h"
#include "subcommands.h"

namespace atmost::cli {
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
