// LocalSession: one attempt, from the guards to the answer.
#include <cerrno>
#include <utility>

#include "admissions.h"
#include "listing.h"
#include "os/clock.h"
#include "os/flock.h"
#include "os/self.h"
#include "queue.h"
#include "session.h"

namespace atmost::local {
namespace {

constexpr int kReopenTries = 16;

bool wants_holders(const Request& request, bool last_chance) {
  return !request.expire_after.is_forever() || request.expire_auto ||
         (request.on_busy == OnBusy::replace && last_chance);
}

bool is_last_chance(const Ticket* queue) { return queue == nullptr || queue->for_rate_only; }

// The original's message counts all holders, whatever their limits.
Status count_all(LockFile& file, std::uint32_t& held) {
  Count count;
  Status counted = count_held(file, 1, kMaxSlots, kMaxSlots, count);
  held = count.held;
  return counted;
}

// Turns are measured by the clock, even if the caller gives a moment.
std::int64_t turn_clock(const Request& request, const Instant& now) {
  if (request.across) return now.given ? os::now().real_ns : now.real_ns;
  return request.now_boot_ns != 0 ? os::boot_ns() : now.boot_ns;
}

// For one slot, excludes every other flock(2); for several, our holders must not exclude one
// another.
os::LockKind flock_for(const LockSpec& spec) {
  return spec.max == 1 || spec.mode == Mode::exclusive ? os::LockKind::write : os::LockKind::read;
}

[[gnu::noinline]] void fail(Result<Decision>& answer, const Error& error) { answer = error; }

[[gnu::noinline]] void fail_replaced(Result<Decision>& answer, const LockFile& file) {
  fail(answer, file.failure(Code::io, 0, "is replaced again and again"));
}

// Then waiting would never end: the flock is held by a flock(1) that runs us, a shell with the
// descriptor open, or the process on whose behalf we ask.
bool flocked_by_our_tree(const Identity& file, const Request& request) {
  return os::flock_above(os::process_id(), file.device, file.inode) ||
         (request.kept_for > 1 && os::flock_above(request.kept_for, file.device, file.inode));
}

}  // namespace

// Its frames are small, because the deepest calls of a start are below it: what can fail has a
// frame of its own, and every return is of `answer`.
Result<Decision> LocalSession::attempt(DecideFn decide, const Instant& now, Ticket* queue,
                                       Lease& lease) {
  Result<Decision> answer(std::in_place);
  if (std::exchange(reopened_, false) && admit_together(decide, now, queue, answer, lease))
    return answer;
  const bool looks =
      queue == nullptr && request_->lock_count == 1 && request_->locks[0].max >= kManySlots;
  if (looks && refuses_unguarded(decide, now, answer)) return answer;
  for (int round = 0; round < kReopenTries; ++round) {
    bool replaced = false;
    if (!open_and_guard(answer, replaced)) return answer;
    if (!replaced && decide_guarded(decide, now, queue, answer)) {
      if (answer.ok() && answer.value().verdict == Verdict::admit) lease = Lease(this);
      unguard_all();
      return answer;
    }
    close_files();  // this also gives up our place in the queue of a file that has lost its name
    if (queue != nullptr) queue->drawn = false;
  }
  fail_replaced(answer, entry(0).file);
  return answer;
}

// False: `answer` says why.
[[gnu::noinline]] bool LocalSession::reopen(Result<Decision>& answer) {
  const Status opened = open_files();
  if (!opened.ok()) fail(answer, opened.error());
  return opened.ok();
}

// False: `answer` is final, and no guard is held.
[[gnu::noinline]] bool LocalSession::open_and_guard(Result<Decision>& answer, bool& replaced) {
  if (!opened_ && !reopen(answer)) return false;
  std::uint32_t culprit = 0;
  const Result<LockFile::Guarded> guarded = guard_all(culprit);
  if (!guarded.ok()) {
    fail(answer, guarded.error());
  } else if (guarded.value() == LockFile::Guarded::timeout) {
    guard_timed_out(culprit, answer.value());
  } else {
    replaced = guarded.value() == LockFile::Guarded::replaced;
    return true;
  }
  return false;
}

// False: the file was replaced since the guard was taken. Else `answer` is final.
[[gnu::noinline]] bool LocalSession::decide_guarded(DecideFn decide, const Instant& now,
                                                    Ticket* queue, Result<Decision>& answer) {
  const Status done = decide_all(decide, now, queue, answer.value());
  if (!done.ok() && done.error().sys == ESTALE) return false;
  if (!done.ok()) fail(answer, done.error());
  return true;
}

void LocalSession::guard_timed_out(std::uint32_t culprit, Decision& busy) const {
  busy.why = Why::guard;
  busy.lock = culprit;
  // That looks at every process. Who does not even wait for the guard asks again, and learns it
  // then.
  if (blocking_ != os::Blocking::never) busy.culprit = guard_holder(entry(culprit).file);
}

// What only callers with a rate, with a limit of the queue, or with --on-busy=supersede look at.
Status LocalSession::look_at_queue(std::uint32_t lock, const Ticket* queue, View& view) {
  LockFile& file = entry(lock).file;
  if (request_->rate.count > 0) view.first_in_rate = first_of_last(file, request_->rate.count);
  if (queue == nullptr) return {};
  if (queue->drawn) {
    view.superseded = request_->on_busy == OnBusy::supersede &&
                      file.header().superseding_ticket > queue->numbers[lock];
  } else if (request_->queue_max != kAnyQueue) {
    return count_waiters(file, request_->queue_max, view.queued);
  }
  return {};
}

View LocalSession::view_of(std::uint32_t lock, bool last_chance) {
  Entry& from = entry(lock);
  const LockFile& file = from.file;
  const Header& header = file.header();
  const Reservation& reserved = from.reserved;
  View view;
  view.token = header.token;
  view.drained = header.drained != 0;
  view.has_room = reserved.has_room;
  view.held = reserved.held;
  view.some_drained = reserved.some_drained;
  view.writer_inside = reserved.writer_inside;
  view.waiters_ahead = reserved.waiters_ahead;
  view.joiner_waiting = reserved.joiner_waiting;
  view.takeover_running = reserved.takeover_running;
  view.last_chance = last_chance;
  view.last = {stamp_of(header.start, file.identity()), stamp_of(header.finish, file.identity()),
               stamp_of(header.success, file.identity())};
  if (wants_stats(*request_)) {
    recall(file.fd(), file.path(), lock_stats_.it, directory_stats_.it);
    view.lock_stats = &lock_stats_.it;
    view.directory_stats = &directory_stats_.it;
  }
  if (!view.has_room && request_->nested)
    view.held_by_ancestor = own_tree_blocks(from.file, request_->locks[lock], *request_);
  if ((!view.has_room || request_->expire_after.is_zero()) &&
      wants_holders(*request_, last_chance)) {
    view.holders = {holders_.it, collect_holders(from.file, holders_.it)};
  }
  return view;
}

// Decides lock by lock, until one refuses.
Status LocalSession::decide_each(DecideFn decide, const Instant& now, Ticket* queue,
                                 Decision& decision) {
  Status done;
  Limits first;
  for (std::uint32_t i = 0; i < count_; ++i) {
    Entry& each = entry(i);
    const LockSpec& spec = request_->locks[i];
    each.reserved.clear();
    const Seeker seeker = {queue != nullptr && queue->drawn ? queue->numbers[i] : 0,
                           turn_clock(*request_, now), request_->rate.count > 0};
    if (spec.max > 0) done = reserve(each.file, spec, owner_, seeker, words_.it, each.reserved);
    if (!done.ok()) return done;
    View view = view_of(i, is_last_chance(queue));
    done = look_at_queue(i, queue, view);
    if (!done.ok()) return done;
    if (each.reserved.owed_until_boot_ns != Duration::kForever)
      view.owed_for = {each.reserved.owed_until_boot_ns - seeker.now_boot_ns};
    decision = decide(*request_, spec, view, now);
    decision.lock = i;
    if (i == 0) first = decision.limits;
    if (decision.verdict != Verdict::admit) return done;
  }
  if (request_->with_flock) done = take_flocks(decide, now, queue, decision);
  // The limits of the command.
  if (done.ok() && decision.verdict == Verdict::admit) decision.limits = first;
  return done;
}

Status LocalSession::decide_all(DecideFn decide, const Instant& now, Ticket* queue,
                                Decision& decision) {
  Status done = decide_each(decide, now, queue, decision);
  if (done.ok()) {
    done = decision.verdict == Verdict::admit ? commit(now, queue)
                                              : after_refusal(decision, now, queue);
    if (done.ok() && decision.verdict != Verdict::admit && request_->foreign_format)
      done = count_all(entry(decision.lock).file, decision.held);
  }
  if (!done.ok()) drop_all();
  return done;
}

// flock(2) on the lock files (--with-flock). Taken last and without waiting: even a flock that is
// held for an instant makes another process's `flock -n` fail. It is on the same description as the
// slots, so it ends as they do.
Status LocalSession::take_flocks(DecideFn decide, const Instant& now, Ticket* queue,
                                 Decision& decision) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    Entry& each = entry(i);
    const LockSpec& spec = request_->locks[i];
    const int error = os::try_flock(each.file.slot_fd(), flock_for(spec));
    each.flocked = error == 0;
    if (error == 0) continue;
    if (error != EAGAIN) return each.file.failure(Code::io, error, "cannot take a flock(2) on it");
    View view = view_of(i, is_last_chance(queue));
    view.has_room = false;
    view.flocked = true;
    view.held_by_ancestor = flocked_by_our_tree(each.file.identity(), *request_);
    view.holders = {};  // none of them holds the flock
    decision = decide(*request_, spec, view, now);
    decision.lock = i;
    return {};
  }
  return {};
}

void LocalSession::drop_flock(Entry& entry) {
  if (entry.flocked) (void)os::drop_flock(entry.file.slot_fd());
  entry.flocked = false;
}

void LocalSession::drop_all() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    drop_flock(entry(i));
    drop(entry(i).file, owner_, entry(i).reserved);
  }
}

Status LocalSession::after_refusal(const Decision& decision, const Instant& now, Ticket* queue) {
  drop_all();
  if (queue != nullptr && queue->drawn) settle_own_turns(decision, *queue);
  // For a pass with a moment of its own, later admissions are normal.
  if (decision.last_in_future && !now.given && request_->now_boot_ns == 0) {
    // Written once: from now on the interval counts from this moment, and so it ends.
    LockFile& file = entry(decision.lock).file;
    Header& header = file.header();
    bring_back(file, now);
    for (StampData* data :
         {&header.start, &header.finish, &header.success, &header.unknown_before}) {
      const Stamp stamp = stamp_of(*data, file.identity());
      const bool ahead = stamp.known && age_ns(stamp, now) < 0;
      if (ahead) *data = data_of(now, file.identity());
    }
    return file.save_header();
  }
  if (queue == nullptr) return {};
  const bool for_rate = waits_for_rate(*request_, decision);
  queue->due_boot_ns = due_after(*request_, decision, now, queue->due_boot_ns);
  if (!queue->drawn) {
    const bool draws = for_rate || (worth_waiting(decision) && !queue->for_rate_only);
    return draws ? draw_tickets(now, *queue) : Status{};
  }
  if (request_->rate.count > 0) {
    for (std::uint32_t i = 0; i < count_; ++i)
      note_due(entry(i).file, queue_of(request_->locks[i]), queue->numbers[i], now,
               queue->due_boot_ns);
  }
  return {};
}

Status LocalSession::draw_tickets(const Instant& now, Ticket& queue) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    Entry& each = entry(i);
    Status drawn = draw_ticket(each.file, request_->locks[i], *request_, now, queue.due_boot_ns,
                               queue.numbers[i]);
    each.near = false;
    each.turn_seen_ns = 0;
    if (!drawn.ok()) {
      for (std::uint32_t j = 0; j < i; ++j)
        give_up_ticket(entry(j).file, request_->locks[j], queue.numbers[j]);
      return drawn;
    }
  }
  queue.drawn = true;
  return {};
}

void LocalSession::withdraw(Ticket& ticket) {
  if (!ticket.drawn) return;
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (entry(i).file.present())
      give_up_ticket(entry(i).file, request_->locks[i], ticket.numbers[i]);
  }
  ticket = {};
}

}  // namespace atmost::local
