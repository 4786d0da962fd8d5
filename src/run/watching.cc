// The supervisor's looks at what the command does.
#include "os/activity.h"
#include "os/clock.h"
#include "os/self.h"
#include "os/signal_numbers.h"
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

void Supervisor::watch_for_silence(std::int64_t now_ns) {
  if (stopping(stage_) || stage_ == Stage::done) return silence_.end();
  // Of children from before, the orphans of the command cannot be told apart.
  const os::WatchedTree tree = {tree_.mixed ? tree_.main : os::process_id(), tree_.mixed};
  const std::int64_t before_ns = os::own_cpu_ns();
  const bool thorough = silence_.may_end(now_ns);
  os::Activity seen = os::look_at(tree, !looked_, thorough);
  seen.cpu_ns += report_.usage.cpu_ns - orphans_cpu_ns_;
  orphans_cpu_ns_ = report_.usage.cpu_ns;
  const bool rare = thorough || !looked_;
  looked_ = true;
  const std::int64_t cost_ns = os::own_cpu_ns() - before_ns;
  silence_.look(now_ns, seen, rare ? cost_ns / Silence::kLooks : cost_ns);
  if (!silence_.over()) return;
  silence_.end();
  report_.stopped = Stopped::idle;
  on(Event::stop);
}

}  // namespace atmost::run
