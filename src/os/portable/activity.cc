#include "../activity.h"

#include <cerrno>

namespace atmost::os {

int counts_activity() { return ENOSYS; }

Activity look_at(const WatchedTree&, bool, bool) {
  Activity seen;
  seen.unclear = true;
  return seen;
}

void announce_silence(std::int64_t) {}

std::int64_t announced_silence(std::int64_t) { return 0; }

std::int64_t own_cpu_ns() { return 0; }

bool cpu_of(std::int64_t, std::int64_t&) { return false; }

bool runs_atmost(std::int64_t, const ProcessFacts&) { return false; }

}  // namespace atmost::os
