// Requests of compare_locks: whether what the kernel answers, and whom it lets go, is admitted.
#include <sched.h>
#include <sys/file.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "lock_comparison.h"

namespace world {
namespace {

using Outcome = LockItem::Outcome;

// An answer that is not admitted, or a caller that still sleeps, is looked at again: the machine
// may be slow.
constexpr int kLooksAgain = 50;
constexpr timespec kBetweenLooks = {0, 20'000'000};
// So that somebody is left to let them go.
constexpr int kMostAsleep = kLockActors - 2;

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::blocked:
      return "blocked";
    case Outcome::done:
      return "done";
    case Outcome::refused:
      return "EAGAIN";
    default:
      return "EDEADLK";
  }
}

bool rests_in_call(const Actors& actors, int table, int actor) {
  return actors.sleeps_in(actor, table < kLockFiles ? SYS_fcntl : SYS_flock);
}

}  // namespace

// An owner has one sleeping request at most: of two, the order would decide what is held at the
// end. flock(2), too, drops what the description has each time that it wakes, which nobody sees.
bool LockComparison::may_ask(int actor, int slot, const LockCall& call) const {
  if (busy(actor) || !scene_.has(actor, slot)) return false;
  LockRequest request;
  if (scene_.request(actor, slot, call, request) != 0) return true;
  if (!request.waits && !call.flock) return true;
  const auto asleep = std::ranges::count_if(sleeps_, [](const auto& sleep) { return !!sleep; });
  if (request.waits && asleep >= kMostAsleep) return false;
  const int table = scene_.table_of(actor, slot, call.flock);
  return std::ranges::none_of(sleeps_, [&](const auto& sleep) {
    return sleep && sleep->table == table && sleep->item.lock.owner == request.lock.owner;
  });
}

void LockComparison::add_items(int actor, const LockRequest& request, bool flock,
                               std::vector<LockItem>& to) const {
  LockItem item;
  item.actor = actor;
  item.lock = request.lock;
  item.unlock = request.kind == LockRequest::Kind::unlock;
  item.waits = request.waits && !item.unlock;
  if (flock && !item.unlock) {
    LockItem first = item;
    first.unlock = true;
    first.outcome = Outcome::done;
    item.after = static_cast<int>(to.size());
    to.push_back(first);
  }
  to.push_back(item);
}

bool LockComparison::lock(const LockStep& step) {
  if (!may_ask(step.actor, step.slot, step.call)) return false;
  actors_.tell(step.actor, lock_order(step.slot, step.call));
  judge(step.actor, step.slot, step.call);
  return true;
}

void LockComparison::judge(int actor, int slot, const LockCall& call) {
  LockRequest request;
  if (const int error = scene_.request(actor, slot, call, request); error != 0) {
    check(actors_.wait(actor), error);
    count("invalid");
    return;
  }
  if (request.kind == LockRequest::Kind::query) {
    query(actor, slot, call, request);
    return;
  }
  const int table = scene_.table_of(actor, slot, call.flock);
  if (call.flock && request.kind == LockRequest::Kind::lock &&
      scene_.table(table).holds(request.lock)) {
    check(actors_.wait(actor), 0);
    return;
  }
  std::vector<LockItem> items;
  add_items(actor, request, call.flock, items);
  settle(table, items);
  sleep(actor, slot, call);
}

// Keeps what the actor called, if it is blocked.
void LockComparison::sleep(int actor, int slot, const LockCall& call) {
  auto& sleep = sleeps_[static_cast<std::size_t>(actor)];
  if (!sleep) return;
  sleep->slot = slot;
  sleep->call = call;
}

void LockComparison::query(int actor, int slot, const LockCall& call, const LockRequest& request) {
  const Answer answer = actors_.wait(actor);
  check(answer, 0);
  const ByteLocks& table = scene_.table(scene_.table_of(actor, slot, false));
  const std::size_t conflicts = table.count_conflicts(request.lock);
  count(conflicts > 1 ? "several conflicts" : conflicts == 1 ? "conflict" : "no conflict");
  struct flock expected;
  for (std::size_t i = 0; i < std::max<std::size_t>(conflicts, 1); ++i) {
    expected = call.bytes;
    write_answer(table.conflict(request.lock, i), expected);
    if (std::memcmp(&expected, &answer.lock, sizeof expected) == 0) return;
  }
  differ("the model: " + to_text(expected) + " or another of " + std::to_string(conflicts) +
         ", the kernel: " + to_text(answer.lock));
}

// Two requests at once, of two owners: the kernel may take them in either order.
bool LockComparison::race(const LockStep& step) {
  const int p = step.actor;
  const int q = step.other;
  if (!may_ask(p, step.slot, step.call) || !may_ask(q, step.other_slot, step.other_call)) {
    return false;
  }
  LockRequest one;
  LockRequest two;
  if (scene_.request(p, step.slot, step.call, one) != 0 ||
      scene_.request(q, step.other_slot, step.other_call, two) != 0 ||
      one.kind == LockRequest::Kind::query || two.kind == LockRequest::Kind::query ||
      one.lock.owner == two.lock.owner) {
    return false;
  }
  const int table = scene_.table_of(p, step.slot, step.call.flock);
  if (table != scene_.table_of(q, step.other_slot, step.other_call.flock)) return false;
  if (scene_.table(table).holds(one.lock) || scene_.table(table).holds(two.lock)) return false;
  if (one.waits && two.waits) return false;
  std::vector<LockItem> items;
  add_items(p, one, step.call.flock, items);
  add_items(q, two, step.other_call.flock, items);
  actors_.tell(p, lock_order(step.slot, step.call));
  actors_.tell(q, lock_order(step.other_slot, step.other_call));
  settle(table, items);
  sleep(p, step.slot, step.call);
  sleep(q, step.other_slot, step.other_call);
  count("two at once");
  return true;
}

// True if each actor of the items, and each that sleeps over the table, has answered or sleeps in
// its call.
bool LockComparison::rests(int table, const std::vector<LockItem>& items) const {
  return std::ranges::all_of(items, [&](const LockItem& item) {
    return actors_.answer(item.actor) || (item.waits && rests_in_call(actors_, table, item.actor));
  });
}

// Until all of them rest, twice: one that still ran may have woken one that was seen before it.
void LockComparison::collect(int table, std::vector<LockItem>& items) const {
  const std::time_t stuck_at = std::time(nullptr) + 60;
  const bool alone = items.size() <= 2;
  if (alone && !items.back().waits) actors_.wait(items.back().actor);
  for (int seen = 0; seen < (alone ? 1 : 2);) {
    seen = rests(table, items) ? seen + 1 : 0;
    if (seen > 0) continue;
    ::sched_yield();
    if (std::time(nullptr) > stuck_at) throw Stuck("an actor neither answers nor sleeps");
  }
  for (LockItem& item : items) {
    const std::optional<Answer> answer = actors_.answer(item.actor);
    const bool first_half = item.unlock && item.outcome == Outcome::done;
    if (!answer || first_half) continue;
    if (answer->result == 0) {
      item.outcome = Outcome::done;
    } else if (answer->error == EAGAIN || answer->error == EDEADLK) {
      item.outcome = answer->error == EAGAIN ? Outcome::refused : Outcome::deadlock;
    } else {
      differ(std::string("the kernel: ") + std::strerror(answer->error));
    }
  }
}

void LockComparison::settle(int table, std::vector<LockItem> items) {
  const std::size_t told = items.size();
  for (const auto& sleep : sleeps_) {
    if (sleep && sleep->table == table && !sleep->stopped) items.push_back(sleep->item);
  }
  if (items.empty()) return;
  const bool certain =
      told == 1 && items[0].waits && scene_.deadlock(table, items[0].lock) == Deadlock::certain;
  for (int looks = 0;; ++looks) {
    collect(table, items);
    const bool missed = certain && items[0].outcome != Outcome::deadlock;
    if (!missed && scene_.explain(table, items)) break;
    if (looks == kLooksAgain) {
      std::string text = "not admitted:";
      for (const LockItem& item : items) {
        text += " p" + std::to_string(item.actor) + (item.unlock ? " unlocks" : " locks") + ": " +
                name_of(item.outcome) + ";";
      }
      differ(text);
    }
    ::nanosleep(&kBetweenLooks, nullptr);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    LockItem& item = items[i];
    const bool is_blocked = item.outcome == Outcome::blocked;
    if (item.unlock || (i >= told && is_blocked)) continue;
    count(name_of(item.outcome));
    if (i >= told) count("woken");
    auto& sleep = sleeps_[static_cast<std::size_t>(item.actor)];
    sleep.reset();
    item.after = -1;
    if (is_blocked) sleep = Sleep{item, table, false, 0, {}};
  }
}

void LockComparison::settle_all() {
  for (int table = 0; table < LockScene::kTables; ++table) settle(table, {});
}

}  // namespace world
