#include "session.h"

#include <algorithm>
#include <utility>

#include "core/lease_time.h"
#include "gateway.h"
#include "os/clock.h"
#include "os/self.h"

namespace atmost::etcd {
namespace {

// Hundreds of callers at once need a few seconds.
constexpr Duration kLongestAttempt = Duration::seconds(20);

void lose(Ticket& ticket) {
  const bool for_rate_only = ticket.for_rate_only;
  ticket = {};
  ticket.for_rate_only = for_rate_only;
}

}  // namespace

Error EtcdSession::fail(Error error) {
  watch_.stop();
  if (caller_.gateway.silent()) caller_.lease.abandon();
  return error;
}

void EtcdSession::exit_if_terminated() {
  if (caller_.latch.is_set()) watch_.stop();
  caller_.exit_if_terminated();
}

Status EtcdSession::look(const Attempt& attempt, rule::Looked& to) {
  Ticket* const queue = attempt.queue;
  if (attempt.looks == 0) {
    may_replace_ = caller_.request.on_busy == OnBusy::replace && queue == nullptr;
    fresh_ = false;
    end_ns_ = plus(os::boot_ns(), kLongestAttempt);
  } else if (os::boot_ns() >= end_ns_) {
    // Each time that the lock has changed another caller was admitted, unless the answers are
    // wrong.
    return fail(
        error_of(Code::unavailable, 0,
                 "etcd: at every try for 20 s the lock had changed, or an answer was lost"));
  }
  exit_if_terminated();
  if (holds_) return error_of(Code::internal, 0, "this session holds its locks already");
  if (Status done = read(queue); !done.ok()) return fail(done.error());
  to.now = attempt.moment(caller_.request);
  to.turns_boot_ns = to.now.given ? os::boot_ns() : to.now.boot_ns;
  rates_.see(to.now);
  for (std::size_t i = 0; i < caller_.locks.size(); ++i) {
    LockFacts& lock = caller_.locks[i];
    if (Status known = intervals_.read(lock, caller_.give_up()); !known.ok())
      return fail(known.error());
    lock.begin(caller_.place(i, queue), to.now, to.turns_boot_ns);
  }
  to.locks = facts_;
  return {};
}

Status EtcdSession::read(Ticket* queue) {
  const bool drawn = queue != nullptr && queue->drawn;
  if (drawn && caller_.lease.upkeep().lost) {
    lose(*queue);
    fresh_ = false;
  }
  while (!std::exchange(fresh_, false) || lost_place(queue)) {
    if (lost_place(queue)) lose(*queue);
    if (Status looked = caller_.look(queue); !looked.ok()) return looked;
    fresh_ = true;
  }
  return {};
}

// As last seen.
bool EtcdSession::lost_place(const Ticket* queue) const {
  return queue != nullptr && queue->drawn &&
         std::any_of(caller_.locks.begin(), caller_.locks.end(),
                     [](const LockFacts& lock) { return !lock.seen.place_is_there; });
}

Status EtcdSession::apply(const rule::Plan& plan, const Instant& now, Ticket* queue,
                          rule::Applied& to) {
  if (plan.failed != nullptr) return fail(plan.failed->error());
  exit_if_terminated();
  return plan.admits() ? enter(now, queue, to) : refuse(plan, now, queue, to);
}

Status EtcdSession::enter(const Instant& now, Ticket* queue, rule::Applied& to) {
  const std::int64_t asked = os::boot_ns();
  const Result<PlanWriter::Wrote> written = writer_.admit(now, queue, caller_.give_up());
  if (!written.ok()) return fail(written.error());
  fresh_ = written.value() == PlanWriter::Wrote::changed;
  bool admitted = written.value() == PlanWriter::Wrote::done;
  if (written.value() == PlanWriter::Wrote::doubtful) {
    const Result<bool> settled = settle_doubt(queue);
    if (!settled.ok()) return fail(settled.error());
    admitted = settled.value();
  }
  if (caller_.lease.id() == 0 && queue != nullptr) lose(*queue);
  to.changed = !admitted;
  if (!admitted) return {};
  exit_if_terminated();
  if (Status ready = take_up(asked); !ready.ok()) return fail(ready.error());
  if (queue != nullptr) *queue = {};
  to.held = held_.data();
  return {};
}

Result<bool> EtcdSession::settle_doubt(Ticket* queue) {
  if (Status looked = caller_.look(queue); !looked.ok()) {
    caller_.lease.abandon();  // any slots of ours end with the lease
    return looked.error();
  }
  if (caller_.holds_all()) return true;
  caller_.lease.end(caller_.gateway, caller_.give_up());
  return false;
}

Status EtcdSession::refuse(const rule::Plan& plan, const Instant& now, Ticket* queue,
                           rule::Applied& to) {
  const Decision& decision = plan.decision;
  refused_by_ = decision.lock;
  LockFacts& lock = caller_.locks[refused_by_];
  const std::int64_t end = caller_.give_up();
  if (decision.verdict == Verdict::too_soon) {
    intervals_.add_witness(lock, end);
    if (queue == nullptr || !queue->drawn) rates_.leave_word(lock, end);
  }
  const Result<PlanWriter::Wrote> written = writer_.wait(plan, now, queue, end);
  if (!written.ok()) return fail(written.error());
  fresh_ = written.value() == PlanWriter::Wrote::changed;
  to.changed = written.value() != PlanWriter::Wrote::done;
  if (written.value() == PlanWriter::Wrote::doubtful) {
    // The place may have been taken nevertheless: it goes with the lease.
    caller_.lease.end(caller_.gateway, end);
    lose(*queue);
  }
  return {};
}

Status EtcdSession::take_up(std::int64_t asked_boot_ns) {
  // Uses the connection that will carry every later renewal: no command starts unless its lease can
  // be renewed.
  Status ready = caller_.lease.prove(caller_.gateway, caller_.give_up());
  if (ready.ok()) ready = intervals_.settle();
  if (ready.ok()) ready = rates_.settle();
  exit_if_terminated();
  watch_.stop();
  if (ready.ok()) ready = begin_hold(asked_boot_ns);
  if (!ready.ok()) caller_.lease.end(caller_.gateway, caller_.give_up());
  return ready;
}

Result<Wake> EtcdSession::await(Ticket& ticket, std::int64_t deadline_boot_ns) {
  if (!ticket.drawn) return Wake::maybe;
  if (os::boot_ns() >= deadline_boot_ns) return Wake::deadline;
  Result<Wake> woken = watch_.await(refused_by_, ticket, deadline_boot_ns);
  if (!woken.ok()) return fail(woken.error());
  exit_if_terminated();
  return woken;
}

Upkeep EtcdSession::upkeep(About, std::uint32_t) const {
  Upkeep known;
  if (holds_) known = caller_.lease.upkeep();
  known.left_until_boot_ns = left_until_ns_;
  if (caller_.lease.id() != 0) known.name.append_signed(caller_.lease.id());
  return known;
}

void EtcdSession::end(const End& what) {
  if (what.of == End::Of::hold) return release(what.ending, what.now);
  watch_.stop();
  if (what.of == End::Of::place) {
    *what.ticket = {};
    if (!holds_) caller_.lease.end(caller_.gateway, caller_.give_up());
    return;
  }
  caller_.end_lease();
  delete this;
}

// The slots that this caller holds in etcd.

// Begins the hold of what the last snapshots show as ours: from now on the connection that carried
// the admission renews the lease and looks for requests to stop. REQUIRES: Caller::holds_all(), and
// that the lease was renewed by that connection (OwnLease::prove()).
Status EtcdSession::begin_hold(std::int64_t asked_boot_ns) {
  const Request& request = caller_.request;
  const Duration ttl = std::max(request.ttl, shortest_ttl({}));
  // From a ttl after the admission on others may ask whether we are there (queue_watch.h).
  if (caller_.lease.upkeep().lost || os::boot_ns() - asked_boot_ns > ttl.ns)
    return error_of(Code::unavailable, 0, "etcd: the lease ended before the command began");
  std::vector<HeldSlot> slots;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const LockFacts& lock = caller_.locks[i];
    HeldLock& held = held_[i];
    held = {};
    for (const Snapshot::Holder& holder : lock.seen.holders) {
      if (holder.lease != caller_.lease.id()) continue;
      held.token = holder.token;
      held.slots[held.count++] = holder.slot;
    }
    slots.push_back({lock.keys.asked(), lock.keys.questions(), lock.keys.held(held.slots[0]),
                     lock.keys.held(held.slots[held.count - 1]), held.count, held.token,
                     os::boot_ns()});
  }
  const Duration grace = ttl >= shortest_ttl(request.kill_grace) ? request.kill_grace : Duration{};
  caller_.latch.disarm();
  Status held = caller_.lease.hold(caller_.gateway, std::move(slots), renewal_pause(ttl, grace),
                                   renewal_reserve(grace, request.on_lost == OnLost::warn));
  holds_ = held.ok();
  return held;
}

void EtcdSession::release(Ending ending, const Instant& now) {
  if (!std::exchange(holds_, false)) return;
  OwnLease& lease = caller_.lease;
  lease.let_go(caller_.gateway);
  // After the election of another leader, others would have to wait for the whole ttl. Once the
  // lease is over, there is nothing to release any more.
  const std::int64_t until = lease.upkeep().until_boot_ns;
  const std::int64_t end = std::min(caller_.give_up(), until);
  intervals_.prepare_end(ending, now, end);
  Txn txn;
  const std::string moment = moment_text(now, os::boot_hash());
  const std::int64_t hints = caller_.transactions.hint_lease();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    LockFacts& lock = caller_.locks[i];
    for (std::uint32_t j = 0; j < held_[i].count; ++j) {
      // If the lease has ended unnoticed, another caller may have the slot by now.
      const std::string slot = lock.keys.held(held_[i].slots[j]);
      txn.created_at(slot, held_[i].token).erase(slot);
    }
    if (is_finish(ending)) txn.put(lock.keys.finish(), moment, hints);
    if (ending == Ending::success) txn.put(lock.keys.success(), moment, hints);
    intervals_.begin_at_end(lock, moment, txn);
    held_[i] = {};
  }
  if (!lease.upkeep().lost && ending == Ending::not_started) {
    for (LockFacts& lock : caller_.locks) rates_.take_back(lock, end);
  }
  const bool lost = lease.upkeep().lost;
  if (!lost && caller_.transactions.write(txn, end, Gateway::Repeat::yes).done()) {
    lease.forsake();  // nothing lies under it any more: it ends by itself
    left_until_ns_ = 0;
  } else {
    left_until_ns_ = lease.end(caller_.gateway, end) || lost ? 0 : until;
  }
  caller_.gateway.hang_up();
}

}  // namespace atmost::etcd
