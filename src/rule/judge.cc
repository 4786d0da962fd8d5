#include "judge.h"

#include "claims.h"
#include "rates.h"

namespace atmost::rule {
namespace {

// A moment that was noted stays as it is if the next measurement differs by no more.
constexpr std::int64_t kDueKeepsNs = 1'000'000;

bool wants_holders(const Request& request, bool last_chance) {
  return !request.expire_after.is_forever() || request.expire_auto ||
         (request.on_busy == OnBusy::replace && last_chance);
}

// Only `run` stops holders whose supervisors were killed.
bool stops_left(const Request& request) {
  return request.kind == HolderKind::supervised && request.kept_for == 0 && !request.foreign_format;
}

// Also without ATMOST_HELD, before a caller begins to wait.
bool asks_for_ancestor(const Caller& caller) {
  return caller.request->nested || (caller.ticket != nullptr && !caller.ticket->drawn);
}

// True if K slots are open and no more than N would be held, K of them by us: reserves them.
void see_slots(Facts& facts, const Asker& asker, View& view) {
  const LockSpec& lock = *asker.lock;
  std::uint32_t open = facts.reserve(lock.take);
  const Others others = facts.others();
  view.writer_inside = others.writer;
  view.takeover_running = others.taking_over;
  view.foreign_lock = others.foreign;
  if (others.foreign) return;
  if (others.taking_over && asker.ticket == 0) open = facts.reserve(lock.take);
  if (open < lock.take) {  // every other slot up to N is held, drained or being taken over
    view.held = lock.max - open + others.above;
  } else if (others.above > 0 || others.writer) {
    view.held = facts.held(lock.max > kCountedAbove ? lock.max : kCountedAbove);
  }
  view.drained_slots = facts.drained();
  view.has_room = open >= lock.take && !others.writer && view.held + lock.take <= lock.max;
}

// The same for a caller that wants all of it.
void see_everything(Facts& facts, View& view) {
  view.has_room = facts.reserve(1) == 1;
  if (view.has_room) return;
  const Others others = facts.others();
  view.takeover_running = others.taking_over;
  view.foreign_lock = others.foreign;
  if (!others.foreign) view.held = facts.held(kMaxSlots);
}

// Without room: the holders in the way, and those of them that may be stopped.
void see_obstacles(Facts& facts, const Caller& caller, View& view) {
  const Request& request = *caller.request;
  if (view.foreign_lock) {
    const Foreign foreign = facts.foreign();
    view.foreign_whole = foreign.whole;
    view.foreign_pid = foreign.pid;
    view.held_by_ancestor = foreign.own_tree;
    return;
  }
  if (!view.has_room) facts.give_back();
  if (!view.has_room && asks_for_ancestor(caller)) view.held_by_ancestor = facts.ancestor();
  const bool blocked = !view.has_room || request.expire_after.is_zero();
  const bool left = !view.has_room && stops_left(request);
  if (blocked && wants_holders(request, view.last_chance)) {
    view.holders = facts.holders(left ? Holders::all_and_left : Holders::all);
  } else if (left) {
    view.holders = facts.holders(Holders::left);
  }
}

bool joiner_waits(Facts& facts, const Asker& asker, std::int64_t now_boot_ns) {
  for (std::uint64_t after = 0;;) {
    const Waiter joiner = facts.joiner(after);
    after = joiner.ticket;
    if (joiner.ticket == 0 || (asker.ticket != 0 && joiner.ticket > asker.ticket)) return false;
    if (!Turns(now_boot_ns, 0).overtaken(joiner.turn_boot_ns)) return true;
  }
}

// The facts that the decision is made from.
void see(Facts& facts, const Caller& caller, const Asker& asker, const Instant& now, View& view) {
  const Request& request = *caller.request;
  const State& state = facts.state();
  view.token = state.token;
  view.last = state.last;
  view.drained = state.drained;
  view.last_chance = caller.last_chance();
  if (request.rate.count > 0 || asker.lock->rated) see_rates(facts, request.rate, now, view);
  if (asker.ticket != 0) {
    view.superseded = request.on_busy == OnBusy::supersede && state.superseding > asker.ticket;
  } else if (caller.ticket != nullptr && request.queue_max != kAnyQueue) {
    view.queued = facts.waiting(request.queue_max);
  }
  if (wants_stats(request)) {
    LockStats* lock = nullptr;
    DirectoryStats* directory = nullptr;
    (void)facts.stats(lock, directory);
    view.lock_stats = lock;
    view.directory_stats = directory;
  }
  const bool exclusive = asker.lock->mode == Mode::exclusive;
  if (asker.lock->max > 0 && exclusive) see_everything(facts, view);
  if (asker.lock->max > 0 && !exclusive) see_slots(facts, asker, view);
  if (request.on_busy == OnBusy::join)
    view.joiner_waiting = joiner_waits(facts, asker, caller.turns_boot_ns);
  see_obstacles(facts, caller, view);
}

void settle_claims(Facts& facts, const Caller& caller, const Asker& asker, View& view) {
  Claims claims(facts, asker, view.held, caller.turns_boot_ns);
  claims.settle();
  if (!claims.owed()) return;
  view.waiters_ahead = claims.ahead();
  if (claims.until_boot_ns() != Duration::kForever)
    view.owed_for = {claims.until_boot_ns() - caller.turns_boot_ns};
}

void mend(Facts& facts, const Instant& now) {
  LockPlan& plan = facts.plan;
  plan.state = facts.state();
  for (Stamp* stamp : {&plan.state.last.start, &plan.state.last.finish, &plan.state.last.success,
                       &plan.state.unknown_before})
    (void)mended(*stamp, now);
  plan.changed = plan.mends = true;
}

void admit_to(Facts& facts, const Request& request, const LockSpec& lock, const Instant& now) {
  LockPlan& plan = facts.plan;
  plan.take = lock.mode == Mode::exclusive ? 1 : lock.take;
  plan.state = facts.state();
  plan.changed = true;
  State& to = plan.state;
  plan.held = {next_token(to, now), to.last.start, to.recorded};
  to.token = plan.held.token;
  to.refusals = 0;
  // The first caller with a rate begins the ring, with the last admission before.
  const bool rated = has_rate(request, lock);
  if (to.recorded == 0 && rated && to.last.start.known)
    plan.appended[plan.appended_count++] = to.last.start;
  if (to.recorded > 0 || rated) plan.appended[plan.appended_count++] = stamp_of(now);
  to.recorded += plan.appended_count;
  to.last.start = stamp_of(now);
}

class Judgement {
 public:
  Judgement(std::span<Facts* const> locks, const Caller& caller, DecideFn decide,
            const Instant& now, Plan& plan)
      : locks_(locks), caller_(caller), decide_(decide), now_(now), plan_(plan) {}

  void judge_all() {
    const Request& request = *caller_.request;
    Limits first;
    while (plan_.lock_count < locks_.size()) {
      judge_next();
      if (plan_.lock_count == 1) first = plan_.decision.limits;
      if (!plan_.admits()) break;
    }
    if (request.with_flock) take_flocks();
    if (plan_.failed != nullptr) return;
    if (!plan_.admits()) return refuse();
    plan_.decision.limits = first;  // those of the command
    if (caller_.ticket != nullptr) plan_.step = QueueStep::leave;
    for (std::uint32_t i = 0; i < plan_.lock_count; ++i)
      admit_to(*locks_[i], request, *asker_at(i).lock, now_);
  }

 private:
  Asker asker_at(std::uint32_t index) const {
    Asker asker = caller_.asker(index);
    if (locks_[index]->limited != nullptr) asker.lock = locks_[index]->limited;
    return asker;
  }

  void judge_next() {
    const std::uint32_t index = plan_.lock_count++;
    Facts& facts = *locks_[index];
    const Asker asker = asker_at(index);
    facts.plan = LockPlan();
    View view;
    see(facts, caller_, asker, now_, view);
    // A drained lock admits no caller, so there are no turns.
    if (view.has_room && !view.drained && !facts.nobody_waits())
      settle_claims(facts, caller_, asker, view);
    ask(index, view);
    const bool usable = view.has_room && !view.drained && view.waiters_ahead == 0;
    keeps_turn_ = usable || barred(view);
  }

  void ask(std::uint32_t index, const View& view) {
    const Status& had = locks_[index]->error();
    if (had.ok()) {
      plan_.decision = decide_(*caller_.request, *asker_at(index).lock, view, now_);
    } else {
      plan_.failed = &had;
      plan_.decision.verdict = Verdict::busy;
    }
    plan_.decision.lock = index;
  }

  // Last and without waiting: even a flock that is held for an instant makes others fail.
  void take_flocks() {
    for (std::uint32_t i = 0; plan_.admits() && i < locks_.size(); ++i) {
      const Flock flock = locks_[i]->flock();
      if (flock == Flock::none && locks_[i]->error().ok()) continue;
      View view;
      see(*locks_[i], caller_, asker_at(i), now_, view);
      view.has_room = false;
      view.flocked = true;
      view.held_by_ancestor = flock == Flock::own_tree;
      view.holders = {};  // none of them holds the flock
      ask(i, view);
    }
  }

  // True if drained slots alone are in the way.
  static bool barred(const View& view) {
    const bool held = view.writer_inside || view.held > view.drained_slots;
    return !view.has_room && view.drained_slots > 0 && !held;
  }

  // A ticket counts again once its caller asks again, but for a turn that it could use now. A turn
  // of one that is barred has to end: exclusive callers behind it need no slot.
  void end_own_turns() {
    const bool early = plan_.decision.verdict == Verdict::too_soon;
    for (std::uint32_t i = 0; i <= plan_.decision.lock; ++i) {
      const Asker asker = asker_at(i);
      const bool keeps = !early && (keeps_turn_ || i < plan_.decision.lock);
      if (asker.ticket != 0 && !keeps && locks_[i]->own_turn() != 0)
        locks_[i]->note_turn(queue_of(*asker.lock), asker.ticket, 0);
    }
  }

  void refuse() {
    const Request& request = *caller_.request;
    const Decision& decision = plan_.decision;
    end_own_turns();
    // For a pass with a moment of its own, later admissions are normal. Written once: from now on
    // the interval counts from this moment, and so it ends.
    if (decision.last_in_future && !now_.given && request.now_boot_ns == 0)
      mend(*locks_[decision.lock], now_);
    if (caller_.ticket == nullptr) return;
    const Ticket& ticket = *caller_.ticket;
    const bool for_rate = waits_for_rate(request, decision);
    // A foreign lock may cover the tickets.
    const bool for_slot = worth_waiting(decision) && decision.why != Why::foreign;
    if (!ticket.drawn && (for_rate || (for_slot && !ticket.for_rate_only)))
      plan_.step = QueueStep::draw;
    // In locks that did not refuse us we claim nothing, as we could not come whatever becomes free
    // there; if an interval refused us, in none. After a final answer the place stays as it is
    // until we leave it: it is recorded nowhere else.
    const bool early = decision.verdict == Verdict::too_soon && !for_rate;
    const bool leaves = !early && !for_rate && !worth_waiting(decision);
    plan_.claims_in = early ? Ticket::kNowhere : leaves ? ticket.claims_in : decision.lock;
    plan_.due_boot_ns = due_after(request, decision, now_, ticket.due_boot_ns);
    const std::int64_t later = plan_.due_boot_ns - ticket.due_boot_ns;
    const bool moved = decision.rated && (later > kDueKeepsNs || later < -kDueKeepsNs);
    plan_.place_changed = ticket.drawn && (moved || plan_.claims_in != ticket.claims_in);
  }

  std::span<Facts* const> locks_;
  const Caller& caller_;
  const DecideFn decide_;
  const Instant& now_;
  Plan& plan_;
  bool keeps_turn_ = false;  // in the last lock that was judged
};

}  // namespace

void judge(std::span<Facts* const> locks, const Caller& caller, DecideFn decide, const Instant& now,
           Plan& plan) {
  Judgement(locks, caller, decide, now, plan).judge_all();
}

}  // namespace atmost::rule
