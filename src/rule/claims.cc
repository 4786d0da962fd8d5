#include "claims.h"

namespace atmost::rule {

// Writers first: while one keeps a plain caller out, those before it in its queue have no turns.
void Claims::settle() {
  if (asker_.lock->mode == Mode::plain) settle_writers();
  settle_queue();
}

// Our own queue: each waiter in front of us claims what it wants.
void Claims::settle_queue() {
  const Queue queue = queue_of(*asker_.lock);
  Turns turns = fresh_turns();
  for (std::uint64_t after = 0; !owed_;) {
    const Waiter waiter = facts_.next_waiter(queue, after);
    after = waiter.ticket;
    if (is_behind(waiter.ticket)) return;
    if (claims_nothing(waiter) || turns.overtaken(waiter.turn_boot_ns)) continue;
    // Beside a waiter in front of it: until that one's turn is over.
    if (!could_come(waiter)) return owe(claimants_ > 0 ? turns.ends() : Duration::kForever);
    // A due waiter would use up the rate of one behind it, whose turn follows.
    const bool rated = waiter.due_boot_ns > 0;
    if (!(rated && rate_claimed_) && !keeps_turn(turns, queue, waiter)) continue;
    ++claimants_;
    claimed_ += waiter.take;
    rate_claimed_ = rate_claimed_ || rated;
    const bool uses_rate = has_rate(*asker_.request, *asker_.lock) && rated;
    const bool alone = waiter.writer || asker_.lock->mode == Mode::exclusive;
    if (alone || uses_rate || !fits(claimed_ + asker_.lock->take)) owe(turns.ends());
  }
}

// A plain caller counts as a reader: a writer that has waited longer goes first.
void Claims::settle_writers() {
  Turns turns = fresh_turns();
  for (std::uint64_t after = 0; !owed_;) {
    const Waiter waiter = facts_.next_waiter(kModeQueue, after);
    after = waiter.ticket;
    if (is_behind(waiter.ticket)) return;
    if (!waiter.writer || claims_nothing(waiter) || turns.overtaken(waiter.turn_boot_ns)) continue;
    settle_readers(waiter.ticket);
    if (!owed_) owe_turn(turns, waiter);
  }
}

// The writer's turn begins when no reader in front of it has one: it could not use it before.
void Claims::settle_readers(std::uint64_t writer) {
  Turns turns = fresh_turns();
  for (std::uint64_t after = 0; !owed_;) {
    const Waiter reader = facts_.next_waiter(kModeQueue, after);
    after = reader.ticket;
    if (reader.ticket == 0 || reader.ticket >= writer) return;
    if (reader.writer || claims_nothing(reader) || turns.overtaken(reader.turn_boot_ns)) continue;
    owe_turn(turns, reader);
  }
}

// The room is a waiter's in the mode queue: until its turn is over or, if it could not come, until
// others end.
void Claims::owe_turn(Turns& turns, const Waiter& waiter) {
  if (!could_come(waiter)) {
    owe(Duration::kForever);
  } else if (keeps_turn(turns, kModeQueue, waiter)) {
    owe(turns.ends());
  }
}

bool Claims::is_behind(std::uint64_t ticket) const {
  return ticket == 0 || (asker_.ticket != 0 && ticket > asker_.ticket);
}

// It waits for something else than this lock, or its rate does not allow it yet.
bool Claims::claims_nothing(const Waiter& waiter) const {
  return waiter.parked || waiter.due_boot_ns > now_;
}

bool Claims::fits(std::uint32_t count) {
  return held_ + count <= asker_.lock->max && count <= kMaxTake && facts_.reserve(count) >= count;
}

// True if the waiter could be admitted now, after those before it: within the asker's limit, and
// its own, which among readers may be smaller. An exclusive asker finds everything free.
bool Claims::could_come(const Waiter& waiter) {
  if (asker_.lock->mode == Mode::exclusive) return true;
  if (waiter.writer) return claimed_ == 0 && facts_.held(1) == 0;
  const std::uint32_t count = claimed_ + waiter.take;
  if (!fits(count)) return false;
  return waiter.max >= asker_.lock->max || (facts_.held(waiter.max) + count <= waiter.max &&
                                            facts_.reserved()[count - 1] <= waiter.max);
}

// False when its turn has ended. Behind waiters that cannot be called it may not have been called,
// and be asleep or about to ask: the note calls it.
bool Claims::keeps_turn(Turns& turns, Queue queue, const Waiter& waiter) {
  Turns::Standing standing = turns.next(waiter.turn_boot_ns);
  if (standing == Turns::Standing::passed && facts_.has_bell(waiter.ticket))
    standing = turns.call();
  if (standing == Turns::Standing::begins) facts_.note_turn(queue, waiter.ticket, turns.began());
  if (standing == Turns::Standing::passed) facts_.note_turn(queue, waiter.ticket, now_ - kTurn.ns);
  return standing != Turns::Standing::passed;
}

void Claims::owe(std::int64_t until_boot_ns) {
  owed_ = true;
  until_ = until_boot_ns;
}

}  // namespace atmost::rule
