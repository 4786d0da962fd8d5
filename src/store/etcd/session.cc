#include "session.h"

#include <algorithm>
#include <utility>

#include "holder_stop.h"
#include "learned_runs.h"
#include "lock_state.h"
#include "os/clock.h"
#include "view.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// Changes of a lock's state are rare.
constexpr int kTries = 32;

bool admits(const Decision& decision) { return decision.verdict == Verdict::admit; }

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

EtcdSession::Clock::Clock(const Instant& asked)
    : asked_(asked), now_(asked), ahead_ns_(asked.boot_ns - os::boot_ns()) {}

std::int64_t EtcdSession::Clock::boot_ns() const { return os::boot_ns() + ahead_ns_; }

void EtcdSession::Clock::try_again() {
  const std::int64_t by = boot_ns() - now_.boot_ns;
  now_.boot_ns += by;
  if (!now_.given) now_.real_ns += by;
}

Status EtcdSession::look(const Clock& clock, const Ticket* queue, std::int64_t give_up_boot_ns) {
  Status looked = caller_.look(queue, give_up_boot_ns);
  if (!looked.ok()) return looked;
  rates_.see(clock.now(), queue, clock.boot_ns());
  watch_.looked();
  return {};
}

bool EtcdSession::lost_place(const Ticket* queue) const {
  return queue != nullptr && queue->drawn &&
         std::any_of(caller_.locks.begin(), caller_.locks.end(),
                     [](const OpenLock& lock) { return !lock.seen.ticket_is_there; });
}

Result<Decision> EtcdSession::attempt(DecideFn decide, const Instant& now, Ticket* queue,
                                      Lease& lease) {
  Clock clock(now);
  exit_if_terminated();
  if (hold_.holds()) return error_of(Code::internal, 0, "this session holds its locks already");
  std::int64_t end = caller_.give_up();
  bool in_doubt = false;  // an admission of ours may have been made
  const bool drawn = queue != nullptr && queue->drawn;
  bool guessed = watch_.take_guess() && drawn;
  bool seen = guessed || (watch_.up_to_date() && drawn && !caller_.locks[0].early_ahead);
  if (!std::exchange(came_, true) && admission_.may_come_unseen(queue)) {
    const Result<Applied> admitted = come_unseen(decide, now, queue, end);
    if (!admitted.ok()) return fail(admitted.error());
    if (admitted.value() == Applied::yes) return enter(queue, lease);
    seen = queue->drawn;
    in_doubt = admitted.value() == Applied::unknown;
    end = caller_.give_up();
  }
  for (;;) {
    exit_if_terminated();
    if (queue != nullptr && queue->drawn && caller_.lease.upkeep().lost) {
      *queue = {};
      seen = false;
    }
    if (!std::exchange(seen, false)) {
      // A watch that was begun from another place reports nothing of the waiters before the next
      // one.
      if (queue != nullptr && !queue->drawn) watch_.stop();
      if (Status looked = look(clock, queue, end); !looked.ok()) {
        if (in_doubt) caller_.lease.abandon();  // any slots of ours end with the lease
        return fail(looked.error());
      }
    }
    rates_.see(clock.now(), queue, clock.boot_ns());
    if (in_doubt && caller_.holds_all()) return enter(queue, lease);
    if (lost_place(queue)) {
      *queue = {};
      continue;
    }
    if (Status passed = queue_.pass_turns(queue, end); !passed.ok()) return fail(passed.error());
    Result<Decision> decision = decide_all(decide, clock.now(), queue, end);
    if (!decision.ok()) return fail(decision.error());
    if (!admits(decision.value())) {
      if (std::exchange(guessed, false)) continue;
      const Result<bool> refused = refuse(decision.value(), clock, queue, in_doubt, end);
      if (!refused.ok()) return fail(refused.error());
      if (refused.value()) return decision;
      if (caller_.lease.id() != 0) end = caller_.give_up();  // others joined the queue meanwhile
      continue;
    }
    const Result<Applied> admitted = admission_.admit(now, queue, end);
    if (!admitted.ok()) return fail(admitted.error());
    guessed = false;
    if (admitted.value() == Applied::yes) return enter(queue, lease);
    if (caller_.lease.id() == 0 && queue != nullptr) *queue = {};
    in_doubt = in_doubt || admitted.value() == Applied::unknown;
    if (admitted.value() == Applied::no) {
      seen = true;
      end = caller_.give_up();  // etcd answers; other callers were faster
      clock.try_again();
    }
  }
}

Result<Applied> EtcdSession::come_unseen(DecideFn decide, const Instant& now, Ticket* queue,
                                         std::int64_t give_up_boot_ns) {
  caller_.locks[0].seen = {};
  const Result<Decision> unhindered = decide_all(decide, now, queue, give_up_boot_ns);
  if (!unhindered.ok()) return unhindered.error();
  if (!admits(unhindered.value())) return Applied::no;
  return admission_.admit_unseen(now, *queue, queue_, give_up_boot_ns);
}

Result<Decision> EtcdSession::decide_all(DecideFn decide, const Instant& now, const Ticket* queue,
                                         std::int64_t give_up_boot_ns) {
  const Request& request = caller_.request;
  may_replace_ = request.on_busy == OnBusy::replace && queue == nullptr;
  Decision decision;
  for (std::uint32_t i = 0; i < request.lock_count; ++i) {
    OpenLock& lock = caller_.locks[i];
    if (Status read = intervals_.read(lock, give_up_boot_ns); !read.ok()) return read.error();
    View view = view_of(lock.seen, caller_.place(i, queue), now, lock.cooled_ns, holders_);
    view.first_in_rate = rates_.first_in_rate(lock);
    decision = decide(request, lock.spec, view, now);
    decision.lock = i;
    if (!admits(decision)) break;
  }
  return decision;
}

Result<bool> EtcdSession::refuse(const Decision& decision, const Clock& clock, Ticket* queue,
                                 bool in_doubt, std::int64_t give_up_boot_ns) {
  const Instant& now = clock.asked();
  refused_by_ = decision.lock;
  OpenLock& lock = caller_.locks[refused_by_];
  const bool too_soon = decision.verdict == Verdict::too_soon;
  if (too_soon) intervals_.add_witness(lock, give_up_boot_ns);
  const bool drawn = queue != nullptr && queue->drawn;
  if (too_soon && !drawn) rates_.leave_word(lock, give_up_boot_ns);
  const bool for_rate = waits_for_rate(caller_.request, decision);
  if (queue != nullptr)
    queue->due_boot_ns = for_rate && too_soon ? plus(clock.now().boot_ns, decision.retry_in) : 0;
  const bool draws =
      for_rate || (worth_waiting(decision) && queue != nullptr && !queue->for_rate_only);
  if (queue != nullptr && !drawn && draws) return join_queue(now, *queue, give_up_boot_ns);
  // Otherwise our own hold would be reported as busy, or too soon.
  if (in_doubt && admission_.sees_itself(now))
    return error_of(Code::unavailable, 0, "etcd: its answers contradict each other");
  if (drawn && decision.verdict == Verdict::busy) {
    const Result<bool> unmarked = queue_.unmark(now, *queue, give_up_boot_ns);
    if (!unmarked.ok()) return unmarked.error();
    if (unmarked.value()) watch_.stop();
  }
  return true;
}

Result<bool> EtcdSession::join_queue(const Instant& now, Ticket& queue,
                                     std::int64_t give_up_boot_ns) {
  Result<bool> drawn = queue_.draw(now, queue, give_up_boot_ns);
  if (!drawn.ok() || !drawn.value()) return drawn;
  // Who of those before us is kept back by its rate, and what we wait for, only a look shows.
  for (const OpenLock& lock : caller_.locks) {
    for (const Snapshot::Waiter& each : lock.seen.waiters) {
      if (each.early) return false;
    }
  }
  return true;
}

Status EtcdSession::take_up() {
  // Uses the connection that will carry every later renewal: no command starts unless its lease can
  // be renewed.
  Status ready = caller_.lease.prove(caller_.gateway, caller_.give_up());
  if (ready.ok()) ready = intervals_.settle();
  if (!ready.ok()) {
    caller_.lease.end(caller_.gateway, caller_.give_up());
    return ready;
  }
  exit_if_terminated();
  if (caller_.lease.upkeep().lost)
    return error_of(Code::unavailable, 0, "etcd: the lease ended before the command began");
  hold_.begin();
  watch_.stop();
  return {};
}

Result<Decision> EtcdSession::enter(Ticket* queue, Lease& lease) {
  exit_if_terminated();
  if (Status ready = take_up(); !ready.ok()) return fail(ready.error());
  if (queue != nullptr) *queue = {};
  lease = Lease(&hold_);
  Decision admitted;
  admitted.verdict = Verdict::admit;
  admitted.why = Why::none;
  return admitted;
}

Result<Wake> EtcdSession::await(Ticket& ticket, std::int64_t deadline_boot_ns) {
  if (!ticket.drawn) return Wake::maybe;
  if (os::boot_ns() >= deadline_boot_ns) return Wake::deadline;
  const std::int64_t look_at = rates_.look_at_boot_ns(caller_.locks[refused_by_], ticket);
  Result<Wake> woken = watch_.await(refused_by_, ticket, std::min(deadline_boot_ns, look_at));
  if (!woken.ok()) return fail(woken.error());
  exit_if_terminated();
  return woken;
}

void EtcdSession::withdraw(Ticket& ticket) {
  if (!ticket.drawn) return;
  ticket = {};
  watch_.stop();
  if (!hold_.holds()) caller_.lease.end(caller_.gateway, caller_.give_up());
}

Result<std::uint32_t> EtcdSession::count_refusal(std::uint32_t lock) {
  return LockState(caller_.gateway, caller_.locks[lock].spec).count_refusal();
}

Result<std::uint32_t> EtcdSession::count_end(std::uint32_t lock, bool failed) {
  return LockState(caller_.gateway, caller_.locks[lock].spec).count_end(failed);
}

bool EtcdSession::learn(std::uint32_t lock, LearnFn how, const RunSample& sample) {
  return LearnedRuns(caller_.gateway, caller_.locks[lock].spec).learn(how, sample);
}

Result<Owned<HolderStop>> EtcdSession::stop(std::uint32_t lock, std::uint32_t slot,
                                            std::uint64_t hold, StopFor what_for) {
  watch_.stop();  // the watch is not read while a holder is being stopped
  const OpenLock& open = caller_.locks[lock];
  // A decision to take the lock over fails if its snapshot has changed. Without a decision, look at
  // the lock now, again and again until nothing changes it in between.
  const bool decided = what_for == StopFor::its_place && open.seen.revision != 0;
  const Request& request = caller_.request;
  const bool any_age =
      what_for == StopFor::kill || may_replace_ || request.expire_after.is_forever();
  Result<Owned<HolderStop>> begun = Owned<HolderStop>();
  for (int i = 0; i < kTries; ++i) {
    if (!decided) {
      if (Status looked = caller_.look(nullptr, caller_.give_up()); !looked.ok())
        return looked.error();
      if (open.seen.taken.contains(slot)) break;
    }
    begun = EtcdHolderStop::begin(caller_, lock, slot, hold, any_age ? 0 : request.expire_after.ns);
    if (decided || !begun.ok() || begun.value()) break;
  }
  return begun;
}

Text<80> EtcdSession::lease_name() const {
  Text<80> name;
  if (caller_.lease.id() != 0) name.append_signed(caller_.lease.id());
  return name;
}

void EtcdSession::close() {
  watch_.stop();
  caller_.end_lease();
  delete this;
}

}  // namespace atmost::etcd
