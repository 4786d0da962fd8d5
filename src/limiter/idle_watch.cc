#include "idle_watch.h"

#include <new>

#include "admission.h"
#include "os/activity.h"
#include "os/clock.h"

namespace atmost::limiter {

// Finds the watched holder again, and the one to watch after it: the next higher slot, or the
// lowest.
class IdleWatch::Finder final : public LockVisitor {
 public:
  explicit Finder(const Watched& watched) : watched_(watched) {}

  bool holders_only() const override { return true; }
  void header(const Header&) override {}
  void waiter(const WaiterView&) override {}
  void holder(const HolderView& holder) override {
    const bool here = holder.verified && holder.host.empty() && holder.pid > 1;
    const bool whole = holder.kind == HolderKind::supervised && holder.left_by == 0;
    if (!here || !whole || holder.hold == 0) return;
    const Watched found = {holder.slot, holder.hold, holder.pid};
    if (found.slot == watched_.slot && found.hold == watched_.hold && found.pid == watched_.pid) {
      still_there = true;
    } else if (found.slot > watched_.slot && higher.slot == 0) {
      higher = found;
    }
    if (lowest.slot == 0) lowest = found;
  }

  bool still_there = false;
  Watched higher;
  Watched lowest;

 private:
  const Watched& watched_;
};

// False: there is nobody to watch.
bool IdleWatch::choose(std::uint32_t lock, bool next) {
  Finder finder(watched_);
  const LockSpec& spec = request_.locks[lock];
  if (!store_.inspect(spec, moment(request_), &finder).ok()) return watching_ = false;
  const bool same = watching_ && finder.still_there;
  if (same && !next) return true;
  const Watched chosen = finder.higher.slot != 0 ? finder.higher : finder.lowest;
  const bool other = chosen.slot != watched_.slot || chosen.hold != watched_.hold;
  if (same && !other) return true;
  watched_ = chosen;
  watching_ = chosen.slot != 0;
  if (watching_) begin(os::boot_ns());
  return watching_;
}

void IdleWatch::begin(std::int64_t now_ns) {
  silence_ = run::Silence(limit_);
  silence_.begin(now_ns);
  (void)os::look_at({watched_.pid, false}, true, false);
}

bool IdleWatch::finds_idle(std::uint32_t lock, Decision& victim) {
  limit_ = victim.limits.expire_idle;
  if (limit_.is_zero() || limit_.is_forever()) return watching_ = false;
  const bool due = watching_ && os::boot_ns() >= silence_.next_ns();
  if (watching_ && !due) return false;
  const std::int64_t before_ns = os::own_cpu_ns();
  if (!choose(lock, false) || !due) return false;
  const std::int64_t now_ns = os::boot_ns();
  if (now_ns < silence_.next_ns()) return false;  // another holder: it was looked at just now
  const bool thorough = silence_.may_end(now_ns);
  os::Activity seen = os::look_at({watched_.pid, false}, false, thorough);
  if (os::announced_silence(watched_.pid) > now_ns || seen.processes == 0) seen.unclear = true;
  const std::int64_t cost_ns = os::own_cpu_ns() - before_ns;
  silence_.note(now_ns, seen, thorough ? cost_ns / run::Silence::kLooks : cost_ns);
  if (!silence_.over()) {
    if (!silence_.silent()) choose(lock, true);
    return false;
  }
  // The hold is the same as in all these looks; a stop is refused if it is not at that moment.
  victim.verdict = Verdict::take_over;
  victim.lock = lock;
  victim.victim_count = 1;
  victim.victims[0] = watched_.slot;
  victim.holds[0] = watched_.hold;
  watching_ = false;
  return true;
}

IdleWatch* idle_watch_for(Store& store, const Request& request) {
  auto* const room = run_arena().array<IdleWatch>(1);
  return room != nullptr ? new (room) IdleWatch(store, request) : nullptr;
}

}  // namespace atmost::limiter
