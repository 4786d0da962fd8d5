#include "unknown_lock.h"

#include "core/limiter.h"
#include "core/parse.h"
#include "os/host.h"
#include "output.h"
#include "place.h"

namespace atmost::cli {
namespace {

using Alike = bool (*)(std::string_view typed, std::string_view name);

class Existence final : public LockVisitor {
 public:
  void header(const Header& header) override { exists = header.exists; }
  void holder(const HolderView&) override {}
  void waiter(const WaiterView&) override {}
  bool exists = false;
};

bool is_unknown(const Invocation& invocation, const LockSpec& lock) {
  const StoreTraits& traits = invocation.locks->traits();
  if (traits.has_path && !traits.inheritable) return false;
  Existence seen;
  const Result<std::uint32_t> looked = invocation.locks->inspect(lock, now(), &seen);
  return looked.ok() && !seen.exists;
}

// The place of the lock, a directory or the store; `name`: its name there.
struct Where {
  PathText directory;
  std::string_view name;
  std::string_view host;  // of names without one
  bool files = false;
  bool by_path = false;
};

bool locate(const Invocation& invocation, const LockSpec& lock, Where& to) {
  to.files = invocation.locks->traits().has_path;
  to.name = lock.name;
  if (!to.files) {
    to.host = fleet_host(invocation);
    return true;
  }
  to.host = invocation.host.empty() ? os::kept_host_name() : invocation.host;
  PathText path;
  if (!absolute_path(lock.path, path)) return false;
  const SplitPath split = split_path(path);
  to.directory.assign(split.directory);
  to.by_path = lock.name.view() == lock.path.view();
  if (to.by_path)
    to.name = {lock.path.view().data() + lock.path.size() - split.file.size(), split.file.size()};
  return true;
}

// The first name there that is spelt nearly like it; empty: there is none.
Text<255> near_name(const Invocation& invocation, const Where& where, Alike alike) {
  constexpr std::size_t kBatch = 16;
  Text<255> names[kBatch];
  Text<255> after;
  for (;;) {
    const Result<std::size_t> got = where.files
                                        ? next_names(where.directory.c_str(), ".lock", after, names)
                                        : invocation.locks->list(after, names);
    if (!got.ok() || got.value() == 0) return {};
    for (std::size_t i = 0; i < got.value(); ++i) {
      const Text<255> shown = where.by_path ? names[i] : readable_name(names[i], where.host);
      if (alike(where.name, shown)) return shown;
    }
    after = names[got.value() - 1];
  }
}

Error unknown(const Invocation& invocation, const LockSpec& lock, Alike alike, bool& found) {
  Error error = error_of(Code::no_input, 0, lock.name);
  error.message.append(": nobody has used this lock yet");
  Where where;
  if (!locate(invocation, lock, where)) return error;
  if (where.files && !where.by_path)
    error.message.append(" (there is no file for it in ").append(where.directory).push(')');
  const Text<255> meant = near_name(invocation, where, alike);
  found = !meant.empty();
  if (!found && lock.name.view().find_first_not_of("0123456789") == std::string_view::npos)
    error.message.append("; LOCK is a name, not a process number: atmost list shows both");
  if (!found) return error;
  error.message.append("; did you mean ");
  if (where.by_path)
    error.message.append({lock.path.view().data(), lock.path.size() - where.name.size()});
  error.message.append(meant).push('?');
  return error;
}

}  // namespace

bool warn_if_unknown(const Invocation& invocation, const LockSpec& lock) {
  if (!is_unknown(invocation, lock)) return false;
  bool found = false;
  if (!invocation.quiet) complain(unknown(invocation, lock, is_misspelling, found));
  return true;
}

Status require_lock(const Invocation& invocation, const LockSpec& lock, bool alike) {
  if (!is_unknown(invocation, lock)) return {};
  bool found = false;
  const Error error =
      unknown(invocation, lock, alike ? differs_by_one_edit : is_misspelling, found);
  return alike && !found ? Status() : Status(error);
}

}  // namespace atmost::cli
