// The supervisor's looks at what the command does.
#include "os/activity.h"
#include "os/clock.h"
#include "os/self.h"
#include "os/signals.h"
#include "supervisor.h"

namespace atmost::run {

// A value other than that of a signal that our monitor passes on.
bool Supervisor::is_beat(const os::Arrival& arrival) const {
  return arrival.signal == os::kBeat && !task_.max_idle.is_zero() && arrival.relayed_for > 0 &&
         !(monitored_ && arrival.sender == task_.monitor);
}

void Supervisor::take_beat(Duration eta) {
  const std::int64_t now_ns = os::boot_ns();
  silence_.beat(now_ns, eta);
  os::announce_silence(eta.is_zero() ? 0 : plus(now_ns, eta));  // for takers
}

os::Activity Supervisor::look_at_tree(bool thorough) {
  // Orphans of the command cannot be distinguished from children from before.
  const os::WatchedTree tree = {tree_.mixed ? tree_.main : os::process_id(), tree_.mixed};
  os::Activity seen = os::look_at(tree, !looked_, thorough);
  seen.cpu_ns += report_.usage.cpu_ns - orphans_cpu_ns_;
  orphans_cpu_ns_ = report_.usage.cpu_ns;
  looked_ = true;
  return seen;
}

void Supervisor::watch_for_silence(std::int64_t now_ns) {
  if (stopping(stage_) || stage_ == Stage::done) return silence_.end();
  const std::int64_t before_ns = os::own_cpu_ns();
  const bool thorough = silence_.may_end(now_ns);
  const bool rare = thorough || !looked_;
  const os::Activity seen = look_at_tree(thorough);
  const std::int64_t cost_ns = os::own_cpu_ns() - before_ns;
  silence_.note(now_ns, seen, rare ? cost_ns / Silence::kLooks : cost_ns);
  if (!silence_.over()) return;
  if (task_.asks_again &&
      silence_.goes_on(observer_.limit_reached(Stopped::idle, silence_.limit(), Doing::nothing)))
    return;
  silence_.end();
  report_.stopped = Stopped::idle;
  on(Event::stop);
}

// The last twentieth of a learned maximal runtime is watched, unless all of it is: a command that
// does nothing there hangs.
void Supervisor::set_deadline(Duration max_runtime) {
  constexpr std::int64_t kLastPart = 20;
  max_runtime_ = max_runtime;
  deadline_ns_ = plus(started_ns_, max_runtime);
  last_part_ns_ = Duration::kForever;
  if (task_.asks_again && !silence_.wanted() && !max_runtime.is_forever())
    last_part_ns_ = deadline_ns_ - max_runtime.ns / kLastPart;
}

void Supervisor::watch_the_last_part(std::int64_t now_ns) {
  last_part_ns_ = Duration::kForever;
  if (stopping(stage_) || stage_ == Stage::done) return;
  looked_ = false;
  (void)look_at_tree(false);
  last_part_ = Silence({deadline_ns_ - now_ns});
  last_part_.begin(now_ns);
}

Doing Supervisor::doing(std::int64_t now_ns) {
  if (silence_.wanted()) return silence_.silent() ? Doing::nothing : Doing::work;
  if (!last_part_.wanted()) return Doing::unknown;
  const os::Activity seen = look_at_tree(true);
  last_part_.note(now_ns, seen, 0);
  if (seen.unclear) return Doing::unknown;
  return last_part_.silent() && !seen.runnable ? Doing::nothing : Doing::work;
}

// The maximal runtime is over, or a pause between signals.
void Supervisor::reach_deadline(std::int64_t now_ns) {
  deadline_ns_ = last_part_ns_ = Duration::kForever;
  if (!stopping(stage_)) {
    if (task_.asks_again) {
      const Duration now =
          observer_.limit_reached(Stopped::max_runtime, max_runtime_, doing(now_ns));
      if (now > max_runtime_) return set_deadline(now);
    }
    report_.stopped = Stopped::max_runtime;
  }
  on(Event::time_up);
}

}  // namespace atmost::run
