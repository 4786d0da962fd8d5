#include "roll.h"

#include "core/turn.h"
#include "os/file.h"
#include "queue.h"
#include "slots.h"

namespace atmost::local {
namespace {

// So many are looked at by one call, at most. With thousands of waiters each look is a walk of all
// their locks.
constexpr std::uint32_t kMostCalled = 512;
// Of those, so many that have no word.
constexpr std::uint32_t kMostMute = 8;
constexpr std::uint32_t kWokenForATurn = 2;

// The ticket's lower bits, the mark of a head that has called one behind it, and a count, which is
// never 0: so a word that another waiter left in this place is not taken for this one's.
constexpr std::uint32_t kCountBits = 7;
constexpr std::uint32_t kCountMask = (1u << kCountBits) - 1;
constexpr std::uint32_t kHasCalled = 1u << kCountBits;

constexpr std::uint32_t word_with(std::uint64_t ticket, std::uint32_t low) {
  return static_cast<std::uint32_t>(ticket) << (kCountBits + 1) | low;
}

void write_bell(LockFile& file, std::uint64_t ticket, std::uint32_t low) {
  const std::uint32_t word = word_with(ticket, low);
  (void)os::write_at(file.fd(), &word, sizeof word, bell_at(ticket));
}

enum class Answer { asleep, awake, mute };

// A waiter that is about to sleep, and looked before the change that it is called for, finds
// another word than it read.
Answer call(LockFile& file, std::uint64_t ticket) {
  const std::uint32_t word = bell_of(file, ticket);
  if (word == 0 || file.bells() == nullptr) return Answer::mute;
  if (file.bells()->ring(bell_in_ring(ticket)) > 0) return Answer::asleep;
  const std::uint32_t count = (word & kCountMask) % kCountMask + 1;
  write_bell(file, ticket, (word & kHasCalled) | count);
  return file.bells()->ring(bell_in_ring(ticket)) > 0 ? Answer::asleep : Answer::awake;
}

// The head does not sleep on its word: it watches the lock, and its mark shows that it has called
// the one behind it. Without the mark it may be paused since it was called itself.
void wake_queue(LockFile& file, std::uint32_t queue, std::int64_t now_boot_ns) {
  constexpr std::uint32_t kCalledByTheHead = 1;
  std::uint32_t place = 0;
  std::uint32_t mute = 0;
  Waiter waiter;
  for (std::uint32_t seen = 0; seen < kMostCalled && mute < kMostMute; ++seen) {
    if (!next_waiter(file, queue, waiter.ticket, 0, waiter).ok() || waiter.ticket == 0) return;
    if (!waiter.claims(now_boot_ns)) continue;
    const std::uint32_t word = bell_of(file, waiter.ticket);
    if (word == 0) {
      ++mute;
    } else if (file.bells()->sleeps(bell_in_ring(waiter.ticket))) {
      if (place != kCalledByTheHead) (void)call(file, waiter.ticket);
      return;
    }
    // It has a turn that it does not use, or has called nobody yet: another one stands for it.
    const bool leads = waiter.turn_boot_ns == 0 && (word == 0 || (word & kHasCalled) != 0);
    place += leads ? 1 : kCalledByTheHead + 1;
  }
}

}  // namespace

const os::Bells* LockFile::bells() {
  static_assert(os::Bells::kSize == kWaiterRing * kRecordSize);
  if (identity_.across || read_only_) return nullptr;
  if (bells_.is_open()) return &bells_;
  // A mapping keeps the description, with its locks, in children that get it.
  const bool forks = heirs_ == Heirs::forks;
  const Opening gate(opening_);
  return bells_.open(fd_.get(), kWaitersAt, forks ? os::Bells::Heirs::none : os::Bells::Heirs::all)
             ? &bells_
             : nullptr;
}

std::uint32_t bell_of(const LockFile& file, std::uint64_t ticket) {
  std::uint32_t word = 0;
  std::size_t got = 0;
  if (os::read_at(file.fd(), &word, sizeof word, bell_at(ticket), got) != 0 || got != sizeof word)
    return 0;
  const std::uint32_t low = word & (kHasCalled | kCountMask);
  return (word & kCountMask) != 0 && word == word_with(ticket, low) ? word : 0;
}

void make_bell(LockFile& file, std::uint64_t ticket) {
  if (file.may_sleep_on_bells()) write_bell(file, ticket, 1);
}

void mark_bell(LockFile& file, std::uint64_t ticket) {
  const std::uint32_t word = bell_of(file, ticket);
  if (word != 0 && (word & kHasCalled) == 0)
    write_bell(file, ticket, (word & kCountMask) | kHasCalled);
}

void call_next(LockFile& file, const Roll& roll, std::uint32_t wanted, Called& to) {
  std::uint32_t asleep = 0;
  std::uint32_t mute = 0;
  bool early = roll.early;
  Waiter waiter;
  waiter.ticket = roll.after;
  const std::uint64_t before = to.last;
  to.next = 0;
  if (file.bells() == nullptr) return;
  for (bool first = true; mute < kMostMute; first = false) {
    if (!next_waiter(file, roll.queue, waiter.ticket, 0, waiter).ok() || waiter.ticket == 0) break;
    const bool is_early = waiter.due_boot_ns > roll.now_boot_ns;
    if (is_early && early) waiter.due_boot_ns = 0;
    if (!waiter.claims(roll.now_boot_ns)) continue;
    if (is_early) early = false;
    Answer answer = Answer::mute;
    if (rule::is_before(before, waiter.ticket)) {
      answer = call(file, waiter.ticket);
      to.last = waiter.ticket;
    } else if (bell_of(file, waiter.ticket) != 0) {
      answer = file.bells()->sleeps(bell_in_ring(waiter.ticket)) ? Answer::asleep : Answer::awake;
    }
    if (answer == Answer::mute) ++mute;
    if (answer == Answer::asleep && first && !is_early) to.next = waiter.ticket;
    if (answer == Answer::asleep && !is_early && ++asleep == wanted) break;
  }
}

bool call_waiter(LockFile& file, std::uint64_t ticket) {
  return call(file, ticket) == Answer::asleep;
}

void call_sleeper(LockFile& file, std::uint64_t ticket) {
  if (bell_of(file, ticket) == 0 || file.bells() == nullptr) return;
  if (file.bells()->sleeps(bell_in_ring(ticket))) (void)call(file, ticket);
}

void wake_queues(LockFile& file, std::int64_t now_boot_ns) {
  const std::int64_t end = queue_start(kModeQueue + 1);
  if (file.bells() == nullptr) return;
  for (std::int64_t low = kTicketBase; low < end;) {
    Run run;
    if (first_locked(file.fd(), low, end, run, os::LockKind::read) != 0 || !run.found) return;
    const auto queue = static_cast<std::uint32_t>((run.start - kTicketBase) >> kTicketBits);
    wake_queue(file, queue, now_boot_ns);
    low = queue_start(queue + 1);
  }
}

void call_roll(LockFile& file, std::uint32_t queue, std::uint64_t ticket,
               std::int64_t began_boot_ns, std::int64_t now_boot_ns) {
  const bool late = began_boot_ns < now_boot_ns;
  std::uint32_t woken = 0;
  Waiter waiter;
  waiter.ticket = ticket - 1;
  if (file.bells() == nullptr) return;
  for (std::uint32_t seen = 0; seen < kMostCalled; ++seen) {
    if (!next_waiter(file, queue, waiter.ticket, 0, waiter).ok() || waiter.ticket == 0) return;
    const bool first = waiter.ticket == ticket;
    if (!waiter.claims(now_boot_ns) || bell_of(file, waiter.ticket) == 0) continue;
    const bool sleeps = !first && file.bells()->sleeps(bell_in_ring(waiter.ticket));
    if (sleeps && !late) {
      if (woken < kWokenForATurn && call(file, waiter.ticket) == Answer::asleep) ++woken;
      continue;
    }
    if (!first) note_turn(file, queue, waiter.ticket, began_boot_ns);
    (void)call(file, waiter.ticket);
  }
}

}  // namespace atmost::local
