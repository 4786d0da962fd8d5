#include "decide.h"

#include "policy/limits.h"

namespace atmost::policy {
namespace {

const Stamp& measured_from(const LastAdmission& last, ElapsedFrom from) {
  switch (from) {
    case ElapsedFrom::finish:
      return last.finish;
    case ElapsedFrom::success:
      return last.success;
    case ElapsedFrom::start:
      break;
  }
  return last.start;
}

// The time until `last` is `interval` ago; 0 if it is already. A moment that lies in the future
// counts as just now, which is noted.
Duration rest_of(const Stamp& last, Duration interval, const Instant& now, Decision& answer) {
  if (interval.is_zero() || !last.known) return {};
  const std::int64_t age = age_ns(last, now);
  if (age < 0) answer.last_in_future = true;
  if (age <= 0 || interval.is_forever()) return interval;
  return {age < interval.ns ? interval.ns - age : 0};
}

// True, with the answer filled in, when the last admission is too recent, or there were too many.
bool too_soon(const Request& request, const View& view, const Instant& now, Decision& answer) {
  const Stamp& last = measured_from(view.last, request.elapsed_from);
  const Duration interval = rest_of(last, answer.limits.if_elapsed, now, answer);
  Duration window{};
  answer.rate = request.rate;
  if (request.rate.count > 0)
    window = rest_of(view.first_in_rate, request.rate.window, now, answer);
  if (view.limit_rate.count > 0) {
    const Duration rest = rest_of(view.first_in_limit_rate, view.limit_rate.window, now, answer);
    if (rest > window) answer.rate = view.limit_rate;
    if (rest > window) window = rest;
  }
  if (interval.is_zero() && window.is_zero()) return false;
  answer.verdict = Verdict::too_soon;
  answer.why = Why::none;
  answer.rate_reached = window > interval;
  answer.retry_in = answer.rate_reached ? window : interval;
  return true;
}

// The reason for which a holder may not be stopped; none if it may. A program that uses the library
// may have agreed neither to be stopped nor to be asked for the slot; one with a foreign lock does
// not obey our rules.
Why immunity(const HolderView& holder) {
  if (holder.foreign_lock) return Why::foreign;
  const bool library = holder.kind == HolderKind::library && holder.eviction == Eviction::none;
  return library ? Why::immune : Why::none;
}

// Adds the slots of overdue holders, oldest first, as many as are needed, except those that may not
// be stopped; notes when the next one becomes overdue. An overdue holder was passed over, for
// Why::immune or foreign; and the culprit.
void find_victims(const View& view, const Instant& now, Duration expire_after, std::uint32_t needed,
                  Decision& answer) {
  bool taken[kMaxVictims] = {};
  const std::size_t count = view.holders.size() < kMaxVictims ? view.holders.size() : kMaxVictims;
  while (answer.victim_count < needed && answer.victim_count < kMaxVictims) {
    std::size_t oldest = count;
    std::int64_t oldest_age = -1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t age = holder_age_ns(view.holders[i], now);
      if (!taken[i] && age > oldest_age) {
        oldest = i;
        oldest_age = age;
      }
    }
    if (oldest == count) return;
    if (oldest_age < expire_after.ns) {
      const std::int64_t left_ns = expire_after.ns - oldest_age;
      if (left_ns < answer.retry_in.ns) answer.retry_in = {left_ns};
      return;
    }
    taken[oldest] = true;
    if (const Why why = immunity(view.holders[oldest]); why != Why::none) {
      answer.why = why;
      if (answer.culprit == 0) answer.culprit = view.holders[oldest].pid;
      continue;
    }
    answer.holds[answer.victim_count] = view.holders[oldest].hold;
    answer.victims[answer.victim_count++] = view.holders[oldest].slot;
  }
}

// These change the answer where it is: a copy of it is a KiB.

// The same with holders whose supervisors were killed: they may stay as long as those would have
// let them.
void find_left(const View& view, const Instant& now, std::uint32_t needed, Decision& answer) {
  for (const HolderView& holder : view.holders) {
    const std::int64_t age = holder.supervisor_died ? holder_age_ns(holder, now) : -1;
    if (age < 0 || answer.victim_count >= needed || answer.victim_count == kMaxVictims) continue;
    const Duration limit = holder.max_runtime;
    if (age < limit.ns) {
      if (limit.ns - age < answer.retry_in.ns) answer.retry_in = {limit.ns - age};
    } else if (holder.left_by != 0) {
      if (answer.victim_count == 0 || limit < answer.outlived) answer.outlived = limit;
      answer.holds[answer.victim_count] = holder.hold;
      answer.victims[answer.victim_count++] = holder.slot;
    }
  }
  if (answer.victim_count == 0) return;
  answer.verdict = Verdict::take_over;
  answer.why = Why::no_slot;
}

// There is a free slot: it is ours unless a waiter has a better claim.
void with_room(const Request& request, const View& view, Decision& answer) {
  if (view.waiters_ahead == 0) {
    answer.verdict = Verdict::admit;
    answer.why = Why::none;
  } else {
    answer.why = request.on_busy == OnBusy::join && view.joiner_waiting ? Why::joined : Why::owed;
    if (view.owed_for < answer.retry_in) answer.retry_in = view.owed_for;
  }
}

// The answer of a caller that has to wait: not if as many wait already as it allows.
void in_queue(const Request& request, const View& view, Decision& answer) {
  const bool would_wait =
      (!view.last_chance && worth_waiting(answer)) || waits_for_rate(request, answer);
  if (!would_wait || view.queued < request.queue_max) return;
  answer.verdict = Verdict::busy;
  answer.why = Why::queue_full;
  answer.waiters = view.queued;
}

// The number of holders that would have to go for the request to fit.
std::uint32_t in_the_way(const LockSpec& lock, const View& view) {
  if (lock.mode == Mode::exclusive) return view.held;
  const std::uint32_t wanted = view.held + lock.take;
  return wanted > lock.max ? wanted - lock.max : 1;
}

// True, with the answer filled in, when holders are overdue, or replaced by this caller.
bool due_holders(const Request& request, const LockSpec& lock, const View& view, const Instant& now,
                 Decision& answer) {
  const bool stop_all = answer.limits.expire_after.is_zero() && !view.holders.empty();
  const bool replace = request.on_busy == OnBusy::replace && view.last_chance;
  const Duration due = replace ? Duration{} : answer.limits.expire_after;
  if (due.is_forever()) return false;
  find_victims(view, now, due, stop_all ? kMaxVictims : in_the_way(lock, view), answer);
  if (answer.victim_count == 0) return answer.why == Why::immune || answer.why == Why::foreign;
  answer.verdict = Verdict::take_over;
  answer.why = Why::no_slot;
  answer.culprit = 0;
  return true;
}

Decision answer_of(const Request& request, const LockSpec& lock, const View& view,
                   const Instant& now) {
  Decision answer;
  answer.limits = limits_of(request, view);
  answer.held = view.held;
  answer.some_drained = view.drained_slots > 0;
  answer.writer_inside = view.writer_inside;
  answer.waiters = view.waiters_ahead;
  answer.max = lock.max;
  answer.limited = lock.at_limit;
  answer.rated = has_rate(request, lock);
  if (lock.limited && lock.max > 0 && lock.take > lock.max) {
    answer.why = Why::above_limit;
    return answer;
  }
  if (lock.max == 0 || view.drained) {
    answer.why = lock.max == 0 ? Why::zero : Why::drained;
    return answer;
  }
  if (view.superseded) {
    answer.why = Why::superseded;
    return answer;
  }
  if (too_soon(request, view, now, answer)) return answer;

  const bool stop_all = answer.limits.expire_after.is_zero() && !view.holders.empty();
  if (view.has_room && !stop_all) {
    with_room(request, view, answer);
    return answer;
  }
  if (view.held_by_ancestor) {
    answer.why = Why::ancestor;
    return answer;
  }
  if (view.foreign_lock) {
    answer.why = Why::foreign;
    answer.foreign_whole = view.foreign_whole;
    answer.culprit = view.foreign_pid;
    return answer;
  }
  if (view.takeover_running) {
    answer.why = Why::taking_over;
    return answer;
  }
  if (!view.has_room) find_left(view, now, in_the_way(lock, view), answer);
  if (answer.verdict == Verdict::take_over) return answer;
  if (due_holders(request, lock, view, now, answer)) return answer;
  if (view.has_room) {  // holders of unknown age are not overdue
    with_room(request, view, answer);
    return answer;
  }
  answer.why = view.flocked ? Why::flock : Why::no_slot;
  if (request.on_busy == OnBusy::join && view.joiner_waiting) answer.why = Why::joined;
  return answer;
}

}  // namespace

Decision since_success(const Request&, const LockSpec&, const View& view, const Instant& now) {
  Decision answer;
  answer.verdict = Verdict::busy;
  answer.why = Why::none;
  answer.retry_in = Duration::forever();
  const Stamp& last = view.last.success;
  const std::int64_t age = last.known ? age_ns(last, now) : 0;
  if (age < 0) {
    answer.last_in_future = true;
  } else if (last.known) {
    answer.retry_in = {age};
  }
  return answer;
}

std::int64_t holder_age_ns(const HolderView& holder, const Instant& now) {
  if (!holder.start.known) return -1;
  const std::int64_t age = age_ns(holder.start, now);
  return age < 0 ? -1 : age;
}

Decision decide(const Request& request, const LockSpec& lock, const View& view,
                const Instant& now) {
  Decision answer = answer_of(request, lock, view, now);
  in_queue(request, view, answer);
  return answer;
}

}  // namespace atmost::policy
