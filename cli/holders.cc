// The names of a lock's holders, for the line of a refusal.
#include "listing.h"
#include "place.h"
#include "report.h"

namespace atmost::cli {
namespace {

// Holders by name, the first few.
class FirstHolders final : public LockVisitor {
 public:
  bool holders_only() const override { return true; }
  void header(const Header&) override {}
  void waiter(const WaiterView&) override {}
  void holder(const HolderView& holder) override {
    // A holder of several slots is named once; its slots come one after the other, or nearly.
    for (unsigned i = 0; holder.pid > 0 && i < seen_ && i < kShown; ++i) {
      if (pids_[i] == holder.pid && holder.host.view() == hosts_[i].view()) return;
    }
    if (seen_ < kShown) {
      pids_[seen_] = holder.pid;
      hosts_[seen_] = holder.host;
    }
    ++seen_;
    if (seen_ > kShown) return;
    names_.append(seen_ == 1 ? " (by " : ", ");
    if (holder.read_locked) {
      names_.append("the read lock of ");
      if (holder.pid > 0) names_.append_signed(holder.pid);
      names_.append(holder.pid > 0 ? ", no holder"
                                   : "an unknown process, which atmost explain shows");
      return;
    }
    if (holder.pid <= 0) {
      names_.append("a process not visible from here");
      return;
    }
    names_.append_signed(holder.pid);
    if (!holder.host.empty()) names_.push('@').append(holder.host);
    if (!holder.command.empty()) names_.push(' ').append(shown(holder));
    if (holder.foreign_lock) names_.append(", which is not atmost");
    if (!holder.id.empty()) names_.append(" \"").append(holder.id).push('"');
    if (holder.left_by > 0)
      names_.append(", left behind by ").append_signed(holder.left_by).append(", which has ended");
  }
  Text<400> names() {
    if (seen_ == 0) return {};
    if (seen_ > kShown) names_.append(", ...");
    return names_.push(')');
  }

 private:
  // As in list: the script's path and not its interpreter, and the last part of a long path.
  std::string_view shown(const HolderView& holder) {
    constexpr std::size_t kLongest = 80;
    if (holder.foreign_lock) return holder.command;
    const std::string_view path = path_of_process(holder.pid, holder.host, holder.command, words_);
    if (path.empty()) return holder.command;
    return path.size() <= kLongest ? path : last_part(path);
  }

  static constexpr unsigned kShown = 3;
  Text<400> names_;
  std::int64_t pids_[kShown] = {};
  Text<63> hosts_[kShown];
  unsigned seen_ = 0;
  char words_[4096];  // the beginning of a command line
};

}  // namespace

Text<400> holders_of(Store& store, const LockSpec& lock, std::uint32_t held) {
  // Looking at thousands of holders to name three of them would cost more than the refusal itself.
  constexpr std::uint32_t kFew = 16;
  if (held == 0 || held > kFew) return {};
  FirstHolders first;
  const Result<std::uint32_t> seen = store.inspect(lock, now(), &first);
  return seen.ok() ? first.names() : Text<400>{};
}

}  // namespace atmost::cli
