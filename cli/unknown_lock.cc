#include "unknown_lock.h"

#include "core/host.h"
#include "core/limiter.h"
#include "core/parse.h"
#include "output.h"

namespace atmost::cli {
namespace {

class Existence final : public LockVisitor {
 public:
  void header(const Header& header) override { exists = header.exists; }
  void holder(const HolderView&) override {}
  void waiter(const WaiterView&) override {}
  bool exists = false;
};

// The first name in the directory that is spelt nearly like it; empty: there is none.
Text<255> near_name(std::string_view directory, std::string_view name, std::string_view host) {
  constexpr std::size_t kBatch = 16;
  const PathText path(directory);
  Text<255> names[kBatch];
  Text<255> after;
  for (;;) {
    const Result<std::size_t> got = next_names(path.c_str(), ".lock", after, names);
    if (!got.ok() || got.value() == 0) return {};
    for (std::size_t i = 0; i < got.value(); ++i) {
      const Text<255> readable = readable_name(names[i], host);
      if (is_misspelling(name, readable)) return readable;
    }
    after = names[got.value() - 1];
  }
}

}  // namespace

void warn_if_unknown(const Invocation& invocation, const LockSpec& lock) {
  if (invocation.quiet || !invocation.locks->traits().inheritable) return;
  Existence seen;
  const Result<std::uint32_t> looked = invocation.locks->inspect(lock, now(), &seen);
  if (!looked.ok() || seen.exists) return;
  Text<900> words(lock.name);
  const std::string_view path = lock.path;
  const std::size_t slash = path.rfind('/');
  const bool named = lock.name.view() != path;
  words.append(": nobody has used this lock yet");
  if (named && slash != std::string_view::npos) {
    const std::string_view directory = path.substr(0, slash);
    words.append(" (there is no file for it in ").append(directory).push(')');
    const Text<255> meant = near_name(directory, lock.name,
                                      invocation.host.empty() ? kept_host_name() : invocation.host);
    if (!meant.empty()) words.append("; did you mean ").append(meant).push('?');
  }
  complain(words);
}

}  // namespace atmost::cli
