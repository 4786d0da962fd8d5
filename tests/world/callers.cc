#include "world/callers.h"

#include <algorithm>
#include <string>

#include "limiter/admission.h"
#include "os/clock.h"
#include "os/threads.h"
#include "policy/decide.h"
#include "store/local/session.h"
#include "store/local/store.h"

namespace world {
namespace {

using atmost::Duration;
using atmost::Outcome;
using atmost::Request;
using atmost::local::LocalSession;

template <class T>
T* made() {
  return new (kernel->room(sizeof(T), alignof(T))) T;
}

void sleep_for(std::int64_t ns) {
  const std::int64_t until = kernel->now_ns() + ns;
  while (kernel->now_ns() < until) atmost::os::sleep_until(until);
}

// The command that a caller has become: it has the descriptors that are not closed by exec.
void become_command(Process& self, const atmost::Lease& lease, std::uint32_t locks) {
  const auto is_held = [&](int fd) {
    for (std::uint32_t i = 0; i < locks; ++i)
      if (lease.lock(i).fd == fd) return true;
    return false;
  };
  for (auto each = self.descriptors.begin(); each != self.descriptors.end();) {
    const int fd = each->first;
    ++each;
    if (!is_held(fd)) kernel->close(self, fd);
  }
  self.robust_list = nullptr;
}

Refusal reason(const atmost::Decision& decision) {
  using atmost::Why;
  if (decision.verdict == atmost::Verdict::too_soon) return Refusal::too_soon;
  switch (decision.why) {
    case Why::no_slot:
      return Refusal::no_slot;
    case Why::owed:
      return Refusal::owed;
    case Why::joined:
      return Refusal::joined;
    case Why::superseded:
      return Refusal::superseded;
    case Why::queue_full:
      return Refusal::queue_full;
    case Why::guard:
      return Refusal::guard;
    case Why::drained:
      return Refusal::drained;
    case Why::flock:
      return Refusal::flock;
    case Why::ancestor:
      return Refusal::ancestor;
    default:
      return Refusal::other;
  }
}

atmost::HolderKind holder_kind(std::int64_t kind) {
  switch (kind) {
    case kExec:
    case kExectimes:
      return atmost::HolderKind::exec;
    case kLibrary:
      return atmost::HolderKind::library;
    case kHold:
      return atmost::HolderKind::keeper;
    default:
      return atmost::HolderKind::supervised;
  }
}

// Its child, if it forks: the process, and how long it will live.
struct Child {
  Process* process = nullptr;
  std::int64_t* lives_ns = nullptr;
};

// One life of a process.
class Life {
 public:
  Life(Process& self, const Caller& caller, Watcher& watcher, const Child& child)
      : self_(self), caller_(caller), watcher_(watcher), child_(child) {
    if (caller.kind != kLibrary) return;
    auto* const forks = made<atmost::os::Mutex>();
    atmost::os::keep_through_fork(*forks, [] {});
    session_.set_heirs(atmost::local::Heirs::forks, forks);
    session_.set_blocking(atmost::os::Blocking::polling);
    if (caller.keeping != 0) session_.set_keeping();
  }

  void one(const Run& run, std::int64_t number);
  void end() { session_.close(); }

 private:
  void fill(const Run& run);
  void fill_lock(atmost::LockSpec& spec, std::int64_t lock, const Run& run);
  void drain(const Run& run);
  void ask(const Run& run, std::int64_t number);
  void answered(const Run& run, const Outcome& outcome);
  void work(const Run& run, const Outcome& outcome, atmost::Lease& lease);
  void fork(const Run& run, const atmost::Lease& lease);

  Process& self_;
  const Caller& caller_;
  Watcher& watcher_;
  const Child child_;
  const atmost::local::LocalStore store_;
  Request& request_ = *made<Request>();
  std::string paths_[2], names_[2];
  LocalSession& session_ = *made<LocalSession>();
};

void Life::fill_lock(atmost::LockSpec& spec, std::int64_t lock, const Run& run) {
  const auto at = static_cast<std::size_t>(&spec - request_.locks);
  paths_[at] = path_of(static_cast<int>(lock));
  names_[at] = std::to_string(lock);
  spec.path = atmost::TextView::of(paths_[at]);
  spec.name = atmost::TextView::of(names_[at]);
  spec.max = static_cast<std::uint32_t>(run.max);
  spec.take = run.mode == kExclusive ? 1 : static_cast<std::uint32_t>(run.take);
  spec.mode = static_cast<atmost::Mode>(run.mode);
}

void Life::fill(const Run& run) {
  Request& to = request_;
  to.kind = holder_kind(caller_.kind);
  to.exec = caller_.kind == kExec || caller_.kind == kExectimes;
  const bool until_close = caller_.kind == kExectimes || caller_.until_close != 0;
  to.until = to.exec && until_close ? atmost::Until::close : atmost::Until::main;
  to.foreign_format = caller_.kind == kExectimes;
  // A script, which is not a process of this world.
  to.kept_for = caller_.kind == kHold ? 2 + self_.index : 0;
  to.lock_count = run.also == 0 ? 1 : 2;
  fill_lock(to.locks[0], run.lock, run);
  if (run.also != 0) fill_lock(to.locks[1], run.also, run);
  to.wait = {caller_.kind == kExectimes ? 0 : run.wait_ns};
  to.if_elapsed = {run.if_elapsed_ns};
  to.elapsed_from = static_cast<atmost::ElapsedFrom>(run.elapsed_from);
  to.rate = {};
  if (run.rate > 0) to.rate = {static_cast<std::uint32_t>(run.rate), Duration{run.window_ns}};
  to.on_too_soon = static_cast<atmost::OnTooSoon>(run.on_too_soon);
  to.on_busy = run.on_busy == kJoin        ? atmost::OnBusy::join
               : run.on_busy == kSupersede ? atmost::OnBusy::supersede
                                           : atmost::OnBusy::fail;
  const bool any_queue = run.queue_max >= kAnyQueue;
  to.queue_max = any_queue ? atmost::kAnyQueue : static_cast<std::uint32_t>(run.queue_max);
  to.with_flock = run.flock != 0;
}

void Life::one(const Run& run, std::int64_t number) {
  fill(run);
  if (caller_.kind == kDrain) {
    drain(run);
  } else {
    ask(run, number);
  }
  if (run.rest_ns > 0) sleep_for(run.rest_ns);
}

void Life::drain(const Run& run) {
  atmost::local::LocalStore store;
  const auto slot = static_cast<std::uint32_t>(run.slot);
  const int lock = static_cast<int>(run.lock);
  for (const bool on : {true, false}) {
    watcher_.drains(self_, lock, slot, on);
    const bool done = store.set_drained(request_, slot, on).ok();
    // A change that failed may have been written in part.
    if (done || !on) watcher_.drained(self_, lock, slot, on);
    if (on) sleep_for(run.lasts_ns);
  }
}

void Life::ask(const Run& run, std::int64_t number) {
  const Claim claim = {run, static_cast<Kind>(caller_.kind), caller_.keeping != 0};
  watcher_.asks(self_, claim, number);
  if (const atmost::Status opened = session_.open(request_); !opened.ok()) {
    watcher_.failed(self_, std::string(opened.error().message.view()));
    return;
  }
  atmost::Lease lease;
  const auto signals =
      caller_.kind == kLibrary ? atmost::limiter::Signals::theirs : atmost::limiter::Signals::ours;
  const Outcome outcome = atmost::limiter::admit({request_, store_.traits(), session_},
                                                 atmost::policy::decide, nullptr, lease, {signals});
  if (outcome.kind == Outcome::Kind::ran) {
    work(run, outcome, lease);
  } else {
    answered(run, outcome);
  }
  if (caller_.kind != kLibrary) session_.close();
}

void Life::answered(const Run& run, const Outcome& outcome) {
  if (outcome.kind == Outcome::Kind::failed) {
    watcher_.failed(self_, std::string(outcome.error.message.view()));
    return;
  }
  const std::string words = "verdict " +
                            std::to_string(static_cast<int>(outcome.decision.verdict)) + ", why " +
                            std::to_string(static_cast<int>(outcome.decision.why));
  const std::int64_t lock = outcome.decision.lock == 0 ? run.lock : run.also;
  watcher_.refused(self_, static_cast<int>(lock), reason(outcome.decision), words);
}

// The child has what a child of a program with the C library has: the descriptors of the slots.
void Life::fork(const Run& run, const atmost::Lease& lease) {
  if (child_.process->state != Process::State::unborn) return;
  std::vector<int> kept;
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) kept.push_back(lease.lock(i).fd);
  *child_.lives_ns = run.child_ns;
  kernel->fork(self_, *child_.process, kept);
  watcher_.forked(self_, *child_.process);
}

void Life::work(const Run& run, const Outcome& outcome, atmost::Lease& lease) {
  std::uint64_t tokens[2] = {};
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) tokens[i] = lease.lock(i).token;
  watcher_.admitted(self_, {tokens, request_.lock_count}, outcome.slot);
  const bool execs = request_.exec && run.ends != kNotStarted;
  if (run.child_ns > 0 && caller_.kind == kLibrary) fork(run, lease);
  if (execs) {
    watcher_.becomes_command(self_);
    become_command(self_, lease, request_.lock_count);
    lease.detach();
  }
  sleep_for(run.lasts_ns);
  watcher_.releases(self_, static_cast<Ends>(run.ends));
  if (execs) kernel->end(self_, 0);
  lease.release(run.ends == kSucceeds ? atmost::Ending::success
                : run.ends == kFails  ? atmost::Ending::failure
                                      : atmost::Ending::not_started,
                atmost::os::now());
  watcher_.released(self_);
}

}  // namespace

bool Callers::any_forks(const Script& script) {
  return std::ranges::any_of(script.callers, [](const Caller& caller) {
    return std::ranges::any_of(caller.runs, [](const Run& run) { return run.child_ns > 0; });
  });
}

void Callers::run(Process& self) {
  const auto index = static_cast<std::size_t>(self.index);
  const std::size_t callers = script_.callers.size();
  if (is_child(self)) {
    sleep_for(child_lives_ns_[index - callers]);
    return;
  }
  const Caller& caller = script_.callers[index];
  std::size_t& next = next_[index];
  Child child;
  if (kernel->processes().size() > callers)
    child = {kernel->processes()[callers + index].get(), &child_lives_ns_[index]};
  Life life(self, caller, watcher_, child);
  while (next < caller.runs.size()) {
    const std::size_t now = next++;
    life.one(caller.runs[now], static_cast<std::int64_t>(now));
  }
  life.end();
}

bool Callers::runs_again(const Process& self) {
  if (is_child(self)) return true;
  const auto index = static_cast<std::size_t>(self.index);
  return next_[index] < script_.callers[index].runs.size();
}

}  // namespace world
