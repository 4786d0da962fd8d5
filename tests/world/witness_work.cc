// The witness: work that serves nobody.
#include "witness.h"

namespace world {
namespace {

// The number of times that a waiter asks while no caller comes or goes: now and then, at the turns
// of those in front of it (docs/internals/lock-map.md, "Turns"), and when others have noted
// something of themselves.
constexpr std::int64_t kLooks = 30;
constexpr std::int64_t kLooksForEachOther = 4;
constexpr std::int64_t kBetweenLooksNs = 50 * kMillisecondNs;

}  // namespace

void Witness::something_changes() {
  ++changes_;
  changed_ns_ = now_ns_;
}

// The process takes the guard.
void Witness::check_work(std::int64_t now_ns, int process, int lock) {
  Seen& it = seen(process);
  Stand& stand = it.at[lock];
  if (!it.waits_at(lock)) return;
  if (stand.looks_at != changes_) stand.looks = 0;
  stand.looks_at = changes_;
  const std::int64_t span = now_ns - changed_ns_;
  const auto others = static_cast<std::int64_t>(processes_.size());
  const std::int64_t most = kLooks + others * kLooksForEachOther + span / kBetweenLooksNs;
  if (++stand.looks <= static_cast<std::uint64_t>(most)) return;
  break_promise("work", "p" + std::to_string(process) + " asked " + std::to_string(stand.looks) +
                            " times in " + duration(span) + " in which nothing changed");
}

}  // namespace world
