#include "lock_comparison.h"

#include <signal.h>

#include <cerrno>
#include <cstring>

namespace world {
namespace {

using Act = LockStep::Act;

}  // namespace

LockComparison::LockComparison(Counts& counts) : counts_(counts), actors_(obey_lock_order) {
  prepare_lock_files();
  for (int actor = 0; actor < kLockActors; ++actor) {
    actors_.start(actor);
    scene_.start(actor, actors_.pid(actor));
  }
}

void LockComparison::differ(const std::string& what) const { throw Difference(what); }

bool LockComparison::make(const LockStep& step) {
  bool made = false;
  switch (step.act) {
    case Act::lock:
      made = lock(step);
      break;
    case Act::race:
      made = race(step);
      break;
    case Act::interrupt:
    case Act::restart:
    case Act::stop:
    case Act::go_on:
      made = disturb(step);
      break;
    case Act::kill:
    case Act::fork:
    case Act::exec:
      made = make_with_process(step);
      break;
    default:
      made = make_with_descriptor(step);
  }
  counts_.steps += made;
  return made;
}

// An order whose result is known; `error` 0: success.
void LockComparison::ask(int actor, const Order& order, int error) {
  check(actors_.ask(actor, order), error);
}

void LockComparison::check(const Answer& answer, int error) const {
  const int got = answer.result == 0 ? 0 : answer.error;
  if (got == error) return;
  differ(std::string("the model: ") + std::strerror(error) + ", the kernel: " + std::strerror(got));
}

bool LockComparison::fits(const LockStep& step) const {
  const int p = step.actor;
  const bool here = scene_.has(p, step.slot);
  if (step.act == Act::open) return !here;
  if (step.act == Act::receive) return !here && scene_.mail(step.box) >= 0;
  if (step.act == Act::unmap) return scene_.actor(p).mapped >= 0;
  if (!here) return false;
  const LockFile& view = scene_.description(scene_.place(p, step.slot).description).view;
  switch (step.act) {
    case Act::dup:
      return !scene_.has(p, step.other_slot);
    case Act::dup_over:
      return step.slot != step.other_slot && scene_.has(p, step.other_slot);
    case Act::send:
      return scene_.mail(step.box) < 0;
    case Act::resize:
      return view.writable;
    case Act::map:
      return view.readable && scene_.actor(p).mapped < 0;
    default:
      return true;
  }
}

bool LockComparison::make_with_descriptor(const LockStep& step) {
  const int p = step.actor;
  if (busy(p) || !fits(step)) return false;
  const bool closes_on_exec = (step.flags & O_CLOEXEC) != 0;
  ask(p, lock_order(step), 0);
  switch (step.act) {
    case Act::open:
      scene_.open(p, step.slot, step.file, step.flags);
      break;
    case Act::dup:
    case Act::dup_over:
      scene_.dup(p, step.slot, step.other_slot, closes_on_exec);
      break;
    case Act::close:
      scene_.close(p, step.slot);
      break;
    case Act::send:
      scene_.send(p, step.slot, step.box);
      break;
    case Act::receive:
      scene_.receive(p, step.slot, step.box, closes_on_exec);
      break;
    case Act::seek:
      scene_.seek(p, step.slot, step.value);
      break;
    case Act::resize:
      scene_.resize(p, step.slot, step.value);
      break;
    case Act::map:
      scene_.map(p, step.slot);
      break;
    default:
      scene_.unmap(p);
  }
  settle_all();
  return true;
}

bool LockComparison::make_with_process(const LockStep& step) {
  if (step.act == Act::exec) {
    if (busy(step.actor)) return false;
    actors_.exec(step.actor);
    scene_.exec(step.actor);
    settle_all();
    count("exec");
    return true;
  }
  const bool forks = step.act == Act::fork;
  if (forks && busy(step.actor)) return false;
  const int gone = forks ? step.other : step.actor;
  std::optional<Sleep>& sleep = sleeps_[static_cast<std::size_t>(gone)];
  if (sleep) {
    scene_.table(sleep->table).unblock(gone);
    sleep.reset();
    count("killed in a call");
  }
  actors_.end(gone);
  scene_.end(gone);
  if (forks) {
    actors_.fork(gone, step.actor);
    scene_.fork(gone, step.actor, actors_.pid(gone));
  } else {
    actors_.start(gone);
    scene_.start(gone, actors_.pid(gone));
  }
  settle_all();
  count(forks ? "fork" : "kill");
  return true;
}

bool LockComparison::disturb(const LockStep& step) {
  std::optional<Sleep>& sleep = sleeps_[static_cast<std::size_t>(step.actor)];
  if (!sleep || sleep->stopped != (step.act == Act::go_on)) return false;
  const int table = sleep->table;
  if (step.act == Act::go_on || step.act == Act::restart) {
    const Sleep before = *sleep;
    sleep.reset();
    if (!before.stopped) scene_.table(table).unblock(step.actor);
    actors_.signal(step.actor, before.stopped ? SIGCONT : SIGUSR2);
    judge(step.actor, before.slot, before.call);
    count(before.stopped ? "continued" : "restarted");
    return true;
  }
  scene_.table(table).unblock(step.actor);
  if (step.act == Act::stop) {
    actors_.signal(step.actor, SIGSTOP);
    sleep->stopped = true;
    count("stopped");
  } else {
    actors_.signal(step.actor, SIGUSR1);
    const Answer answer = actors_.wait(step.actor);
    if (answer.result == 0 || answer.error != EINTR) differ("an interrupted call: not EINTR");
    sleep.reset();
    count("interrupted");
  }
  settle(table, {});
  return true;
}

}  // namespace world
