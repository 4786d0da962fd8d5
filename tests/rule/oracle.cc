#include "oracle.h"

#include <cstdio>

#include "core/turn.h"

namespace atmost::rule {
namespace {

constexpr Duration kLooks = Duration::millis(250);

}  // namespace

Oracle::Oracle(TestLock& lock, const Request& request, const Ticket* queue)
    : lock_(lock),
      request_(request),
      spec_(request.locks[0]),
      queue_(queue),
      ticket_(asker_of(request, queue, 0).ticket) {}

void Oracle::ask(const Instant& now) {
  now_ = now;
  lock_.look(asker_of(request_, queue_, 0));
  Facts* const facts = &lock_.facts;
  decision_.verdict = Verdict::busy;
  plan_.emplace(decision_);
  judge({&facts, 1}, {&request_, queue_, now.boot_ns}, policy::decide, now, *plan_);
}

bool Oracle::is_closed(std::uint32_t slot) const {
  for (const HolderView& each : lock_.holders) {
    if (each.slot == slot) return true;
  }
  for (const std::uint32_t each : lock_.drained) {
    if (each == slot) return true;
  }
  for (const std::uint32_t each : lock_.taken_over) {
    if (each == slot && ticket_ == 0) return true;
  }
  return false;
}

// So many slots are open, and no more than N would be held. An exclusive caller needs all.
bool Oracle::fits(std::uint32_t count, bool alone) const {
  const auto held = static_cast<std::uint32_t>(lock_.holders.size());
  if (alone || spec_.mode == Mode::exclusive) return held == 0;
  std::uint32_t open = 0;
  for (std::uint32_t slot = 1; slot <= spec_.max; ++slot) open += is_closed(slot) ? 0 : 1;
  return !lock_.writer && open >= count && held + count <= spec_.max;
}

bool Oracle::is_too_soon() const {
  return request_.rate.count > 0 && age_ns(lock_.ring.front(), now_) < request_.rate.window.ns;
}

// It was first, in our queue or as a writer, which we must not pass as a reader.
bool Oracle::is_in_front(const Table::Queued& place) const {
  if (ticket_ != 0 && place.waiter.ticket >= ticket_) return false;
  if (place.queue == queue_of(spec_)) return true;
  return spec_.mode == Mode::plain && place.queue == kModeQueue && place.waiter.writer;
}

bool Oracle::turn_ended(const Waiter& waiter) const {
  return waiter.turn_boot_ns != 0 && now_.boot_ns - waiter.turn_boot_ns >= kTurn.ns;
}

bool Oracle::claims(const Waiter& waiter) const {
  return !waiter.parked && waiter.due_boot_ns <= now_.boot_ns && !turn_ended(waiter);
}

// Within our limit and its own. An exclusive caller finds everything free.
bool Oracle::could_come(const Waiter& waiter) const {
  if (!fits(waiter.take, waiter.writer)) return false;
  if (waiter.writer || spec_.mode == Mode::exclusive) return true;
  std::uint32_t open = 0;
  for (std::uint32_t slot = 1; slot <= waiter.max; ++slot) open += is_closed(slot) ? 0 : 1;
  return open >= waiter.take && lock_.holders.size() + waiter.take <= waiter.max;
}

// Its rate would be used up by a waiter in front of it.
bool Oracle::follows_a_rate(const Table::Queued& place) const {
  for (const Table::Queued& each : lock_.places) {
    const bool before = each.queue == place.queue && each.waiter.ticket < place.waiter.ticket &&
                        each.waiter.ticket != ticket_;
    if (before && claims(each.waiter) && each.waiter.due_boot_ns != 0) return true;
  }
  return false;
}

bool Oracle::follows_an_ended_turn(const Table::Queued& place) const {
  for (const Table::Queued& each : lock_.places) {
    if (each.queue == place.queue && each.waiter.ticket < place.waiter.ticket &&
        turn_ended(each.waiter))
      return true;
  }
  return false;
}

// A waiter in front claims more than there is: until holders end, all behind it wait.
bool Oracle::somebody_cannot_come() const {
  for (const Table::Queued& each : lock_.places) {
    const bool reader = spec_.mode == Mode::plain && each.queue == kModeQueue &&
                        !each.waiter.writer && (ticket_ == 0 || each.waiter.ticket < ticket_);
    if ((is_in_front(each) || reader) && claims(each.waiter) && !could_come(each.waiter))
      return true;
  }
  return false;
}

const char* Oracle::check_admission() const {
  if (!has_room()) return "more than N would be held, or a slot is closed";
  if (lock_.state.drained) return "the lock is drained";
  if (is_too_soon()) return "the rate does not allow it";
  const bool alone = spec_.mode == Mode::exclusive;
  const auto slots = lock_.facts.reserved().first(lock_.facts.plan.take);
  if (slots.size() != (alone ? 1 : spec_.take)) return "another number of slots is taken";
  for (const std::uint32_t slot : slots) {
    if (!alone && (slot > spec_.max || is_closed(slot))) return "a slot is taken that is not open";
  }
  if (queue_ != nullptr && plan_->step != QueueStep::leave) return "the place is kept";
  std::uint32_t claimed = spec_.take;
  for (const Table::Queued& each : lock_.places) {
    if (!is_in_front(each) || !claims(each.waiter)) continue;
    // It may be passed with one whose turn ended.
    if (each.waiter.turn_boot_ns == 0 && follows_an_ended_turn(each)) continue;
    claimed += each.waiter.take;
    const bool rated = request_.rate.count > 0 && each.waiter.due_boot_ns != 0;
    if (alone || each.waiter.writer || rated || !fits(claimed, false))
      return "a waiter in front has the better claim";
  }
  return nullptr;
}

const char* Oracle::check_refusal() const {
  if (lock_.facts.plan.changed) return "a refusal writes";
  if (lock_.state.drained) return decision_.why == Why::drained ? nullptr : "it is drained";
  if (is_too_soon()) return decision_.verdict == Verdict::too_soon ? nullptr : "it is too soon";
  if (decision_.verdict != Verdict::busy) return "nobody is to be stopped, and it is not too soon";
  if (!has_room()) return owed_ ? "there is no room that could be owed" : nullptr;
  if (!owed_) return "there is room";
  if (decision_.retry_in.is_forever())
    return somebody_cannot_come() ? nullptr : "it waits for nothing";
  if (decision_.retry_in.ns <= 0 || decision_.retry_in > kTurn) return "a turn lasts a second";
  for (const Table::Queued& each : lock_.places) {
    if (is_in_front(each) && claims(each.waiter)) return nullptr;
  }
  return "nobody in front claims the room";
}

const char* Oracle::check_notes() const {
  const bool usable = admitted_ || (has_room() && !lock_.state.drained && !is_too_soon() && !owed_);
  for (const Table::Queued& each : lock_.places) {
    const std::int64_t turn = each.waiter.turn_boot_ns;
    if (each.waiter.ticket == ticket_) {
      const bool ends = turn != 0 && !usable;
      if (ends != each.noted || (ends && each.noted_boot_ns != 0))
        return ends ? "our turn, which we could not use, goes on" : "our turn is changed";
    } else if (each.noted) {
      if (!claims(each.waiter)) return "one that claims nothing has a turn";
      if (turn != 0) return "a turn that runs is begun again";
      if (each.noted_boot_ns == now_.boot_ns) {
        const bool waits = each.waiter.due_boot_ns != 0 && follows_a_rate(each);
        if (waits || !could_come(each.waiter)) return "a turn begins that cannot be used yet";
        continue;
      }
      if (each.noted_boot_ns != now_.boot_ns - kTurn.ns || !follows_an_ended_turn(each))
        return "a turn ends that had not begun";
    }
  }
  return nullptr;
}

const char* Oracle::check_answer() const {
  if (const char* fault = check_notes()) return fault;
  return admitted_ ? check_admission() : check_refusal();
}

// Nobody in front comes, and nothing else happens: the room is kept for two turns at most, for one
// that looks so often.
const char* Oracle::check_delay() {
  const std::vector<Table::Queued> before = lock_.places;
  const char* fault = nullptr;
  std::int64_t passed = 0;
  while (fault == nullptr && owed_ && !somebody_cannot_come()) {
    for (Table::Queued& each : lock_.places) {
      if (each.noted) each.waiter.turn_boot_ns = each.noted_boot_ns;
    }
    passed += decision_.retry_in < kLooks ? decision_.retry_in.ns : kLooks.ns;
    if (passed > 2 * kTurn.ns) fault = "those who do not come delay us for more than two turns";
    ask(after(passed));
    admitted_ = plan_->admits();
    owed_ = decision_.why == Why::owed;
    if (fault == nullptr) fault = check_answer();
  }
  if (fault == nullptr) lock_.places = before;
  return fault;
}

const char* Oracle::check() {
  ask(kNow);
  admitted_ = plan_->admits();
  owed_ = decision_.why == Why::owed;
  if (const char* fault = check_answer()) return fault;
  const bool admitted = admitted_;
  const bool owed = owed_;
  const char* const fault = check_delay();
  admitted_ = admitted;
  owed_ = owed;
  return fault;
}

void Oracle::print(const char* fault) const {
  static constexpr const char* kModes[] = {"plain", "shared", "exclusive"};
  std::printf(
      "FAULT: %s\n  asks: %s n %u k %u ticket %llu rate %u, at %+.3f s: verdict %d why %d\n", fault,
      kModes[static_cast<int>(spec_.mode)], spec_.max, spec_.take,
      static_cast<unsigned long long>(ticket_), request_.rate.count,
      static_cast<double>(now_.boot_ns - kNow.boot_ns) / 1e9, static_cast<int>(decision_.verdict),
      static_cast<int>(decision_.why));
  for (const HolderView& each : lock_.holders)
    std::printf("  holds: slot %u%s\n", each.slot, lock_.writer ? " alone" : "");
  for (const Table::Queued& each : lock_.places) {
    const Waiter& waiter = each.waiter;
    const auto from_now = [&](std::int64_t at) {
      return at == 0 ? 0.0 : static_cast<double>(at - now_.boot_ns) / 1e9;
    };
    std::printf("  waits: ticket %llu queue %u k %u%s%s turn %+.3f due %+.3f",  // as seen
                static_cast<unsigned long long>(waiter.ticket), each.queue, waiter.take,
                waiter.writer ? " writer" : "", waiter.parked ? " parked" : "",
                from_now(waiter.turn_boot_ns), from_now(waiter.due_boot_ns));
    std::printf(each.noted ? " noted %+.3f\n" : "\n", from_now(each.noted_boot_ns));
  }
}

}  // namespace atmost::rule
