#include "circle_watch.h"

#include "os/clock.h"
#include "os/process.h"
#include "os/room.h"
#include "os/self.h"
#include "store/local/layout.h"

namespace atmost::limiter {
namespace {

constexpr Duration kEvery = Duration::seconds(1);
// No tree of processes is deeper, but for parents that end and are numbered anew meanwhile.
constexpr int kMostGenerations = 64;

class AnySlot final : public os::LockedFileVisitor {
 public:
  bool locked(const char*, const os::LockLine& line) override {
    any = any || local::has_slots(line);
    return !any;
  }
  bool any = false;
};

}  // namespace

void CircleWatch::begin(Store* store) {
  if (store == nullptr || store_ != nullptr) return;
  store_ = store;
  const StoreTraits& traits = store->traits();
  if (traits.has_path && traits.queue && !traits.leased) next_ns_ = plus(os::boot_ns(), kEvery);
}

// By ATMOST_HELD, or by the locks of this process and its ancestors, whatever they are for.
bool CircleWatch::is_below_a_hold(const Request& request) {
  if (asked_) return true;
  asked_ = true;
  if (request.nested) return true;
  AnySlot slots;
  std::int64_t pid = os::process_id();
  for (int i = 0; i < kMostGenerations && pid > 1 && !slots.any; ++i) {
    (void)os::each_locked_file(pid, slots);
    os::ProcessFacts facts;
    if (os::process_facts(pid, facts) != 0) break;
    pid = facts.parent;
  }
  return slots.any;
}

bool CircleWatch::refuses(const Request& request, const Decision& decision,
                          std::int64_t until_boot_ns, Outcome& outcome) {
  if (next_ns_ == Duration::kForever || os::boot_ns() < next_ns_) return false;
  next_ns_ = is_below_a_hold(request) ? plus(os::boot_ns(), kEvery) : Duration::kForever;
  const bool slots = decision.why == Why::no_slot;
  const bool looks = next_ns_ != Duration::kForever && (slots || decision.why == Why::owed);
  CircleWords words;
  if (!looks || !finds_circle({request.locks[decision.lock], slots && !decision.some_drained},
                              until_boot_ns, words)) {
    if (!looks) seen_ = 0;
    return false;
  }
  outcome.kind = Outcome::Kind::refused;
  outcome.decision = decision;
  outcome.decision.why = Why::circle;
  outcome.error.message.append(words);
  return true;
}

bool CircleWatch::finds_circle(const CircleAsker& asker, std::int64_t until_boot_ns,
                               CircleWords& words) {
  const std::uint64_t before = seen_;
  seen_ = 0;
  const os::RoomFor<CircleScan> room;
  if (room.get() == nullptr) return false;
  CircleScan& scan = *room.get();
  policy::Stuck circle;
  if (!scan.run(*store_, asker) ||
      !policy::has_to_leave(scan.facts(), scan.self(), until_boot_ns, circle))
    return false;
  seen_ = scan.fingerprint(circle);
  // A process that works now and then may just have been asleep.
  if (seen_ != before) return false;
  scan.describe(circle, words);
  return true;
}

}  // namespace atmost::limiter
