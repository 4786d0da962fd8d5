#include "session.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "core/words.h"
#include "directory.h"
#include "os/clock.h"
#include "store/fleet/locks.h"

namespace atmost::shared {
namespace {

constexpr Duration kGuardAgain = Duration::millis(20);

// Times of runs are compared with those that other machines wrote.
Status check_clock(const Request& request) {
  const bool by_clock =
      !request.if_elapsed.is_zero() || request.rate.count > 0 || !request.expire_after.is_forever();
  if (!by_clock || request.now_given) return {};
  const Result<Duration> ahead = server_ahead(std::string(request.locks[0].path.view()));
  if (!ahead.ok()) return ahead.error();
  const Duration difference{std::abs(ahead.value().ns)};
  if (difference <= kClocksAgree) return {};
  Error error = error_of(Code::unavailable, 0, "the clock of this machine is ");
  error.message.append(duration_words(difference))
      .append(ahead.value().ns > 0 ? " behind" : " ahead of")
      .append(" the server's, and intervals, rates and ages go by it: set it (NTP)");
  return error;
}

// The result that a job hands to its caller, which may have gone.
template <class T>
struct Answer {
  Result<T> it{std::in_place};
};

}  // namespace

Core::Core(const Request& from, OpenTo opening)
    : request(from),
      directory([&] {
        std::string path(path_of(from.locks[0].path.view()));
        path.resize(path.rfind('/'));
        return path.empty() ? std::string("/") : path;
      }()),
      how(opening) {
  request.across = true;
  request.trust_fs = true;  // check_directory() has the last word
  for (std::uint32_t i = 0; i < request.lock_count; ++i)
    keep_lock(from.locks[i], texts, request.locks[i]);
  session.set_blocking(os::Blocking::thread_alarm);
}

Core::~Core() { lease.detach(); }

Status Core::open() {
  if (opened) return clock;
  if (request.make_parents && how == OpenTo::make) {
    if (Status made = make_directory(directory); !made.ok()) return made;
  }
  if (Status checked = check_directory(directory); !checked.ok()) return checked;
  Status done = session.open(request, how);
  opened = done.ok();
  if (opened) done = clock = check_clock(request);
  return done;
}

Status Core::look(const Attempt& attempt, rule::Looked& to) { return session.look(attempt, to); }

Status Core::apply(const rule::Plan& plan, const Instant& now, Ticket* queue, rule::Applied& to) {
  if (!given_up) return session.apply(plan, now, queue, to);
  plan.decision.verdict = Verdict::busy;
  plan.decision.why = Why::no_slot;
  rule::Plan nothing(plan.decision);
  nothing.failed = plan.failed;
  return session.apply(nothing, now, queue, to);
}

SharedSession::SharedSession(const Request& request, OpenTo how)
    : core_(std::make_shared<Core>(request, how)) {}

template <class Job>
bool SharedSession::run(Job job, std::int64_t until) {
  const bool done =
      worker_.run([core = core_, job]() mutable { job(*core); }, until) == Worker::Ran::done;
  if (!done) core_->given_up = true;
  return done;
}

template <class Job>
bool SharedSession::run(Job job) {
  return run(std::move(job), plus(os::boot_ns(), kPatience));
}

void SharedSession::end(const End& what) {
  if (what.of == End::Of::place) return leave_queue(*what.ticket);
  if (what.of == End::Of::hold) return release(what.ending, what.now);
  lease_.reset();
  // A job that hangs keeps what it uses.
  if (worker_.cancel(plus(os::boot_ns(), Duration::seconds(1))))
    (void)run([](Core& core) { core.session.close(); });
  delete this;
}

Status SharedSession::look(const Attempt& attempt, rule::Looked& to) {
  Ticket* const queue = attempt.queue;
  const std::int64_t called = os::boot_ns();
  // A caller that waits also waits for a server that restarts.
  std::int64_t until = plus(called, kPatience);
  if (queue != nullptr) until = std::max(until, plus(called, core_->request.wait));
  const auto answer = std::make_shared<Answer<Decision>>();
  const Ticket ticket = queue != nullptr ? *queue : Ticket();
  const bool done = run(
      [=](Core& core) {
        if (core.given_up) return;
        if (Status opened = core.open(); !opened.ok()) {
          answer->it = opened.error();
          return;
        }
        core.ticket = ticket;
        Attempt there = attempt;
        if (queue != nullptr) there.queue = &core.ticket;
        answer->it = rule::admit(core.session, core.request, there, core.lease, &core);
        if (core.lease.held() && core.given_up) core.lease.release(Ending::not_started, os::now());
      },
      until);
  if (!done) return silent(core_->directory);
  if (!answer->it.ok()) {
    if (queue != nullptr) *queue = core_->ticket;
    return answer->it.error();
  }
  to.answered = true;
  to.answer = answer->it.value();
  return settle(queue, to);
}

// The worker is idle.
Status SharedSession::settle(Ticket* queue, rule::Looked& to) {
  if (queue != nullptr) *queue = core_->ticket;
  if (queue != nullptr && to.answer.why == Why::guard) {
    // Many callers and a slow server: a caller that waits anyway waits for the guard, too.
    to.answer.why = Why::no_slot;
    to.answer.retry_in = std::min(to.answer.retry_in, kGuardAgain);
  }
  if (!core_->lease.held()) return {};
  lease_ = std::make_unique<HeldLease>(*this);
  if (const Status begun = lease_->begin(); !begun.ok()) {
    release(Ending::not_started, os::now());
    return begun;
  }
  to.held = lease_->held();
  return {};
}

Result<Wake> SharedSession::await(Ticket& ticket, std::int64_t deadline) {
  const auto answer = std::make_shared<Answer<Wake>>();
  answer->it = Wake::maybe;
  const Ticket mine = ticket;
  const auto job = [core = core_, answer, mine, deadline] {
    core->ticket = mine;
    answer->it = core->session.await(core->ticket, deadline);
  };
  // When the server hangs, its answer comes late: the next attempt fails.
  const std::int64_t until =
      deadline == Duration::kForever ? deadline : plus(deadline, Duration::seconds(2));
  const Worker::Ran ran = worker_.run(job, until, true);
  if (ran == Worker::Ran::done) {
    ticket = core_->ticket;
    return answer->it;
  }
  (void)worker_.cancel(plus(os::boot_ns(), Duration::seconds(1)));
  return ran == Worker::Ran::interrupted ? Wake::interrupted : Wake::deadline;
}

void SharedSession::leave_queue(Ticket& ticket) {
  const Ticket mine = std::exchange(ticket, {});
  (void)run([mine](Core& core) {
    core.ticket = mine;
    core.session.withdraw(core.ticket);
  });
}

Result<Edited> SharedSession::edit(std::uint32_t lock, const Edit& edit) {
  struct Done {
    Result<Edited> answer{std::in_place};
    LockStats lock;
    DirectoryStats directory;
  };
  const auto done = std::make_shared<Done>();
  const bool answered = run([=](Core& core) {
    Edit there = edit;
    there.lock = &done->lock;
    there.directory = &done->directory;
    const Status opened = core.open();
    done->answer = opened.ok() ? core.session.edit(lock, there) : opened.error();
  });
  if (!answered) return silent(core_->directory);
  if (edit.lock != nullptr) *edit.lock = done->lock;
  if (edit.directory != nullptr) *edit.directory = done->directory;
  return done->answer;
}

// The holder is asked by a lock beside its slot; if this process dies, the request ends with it.
class SharedSession::Stop final : public fleet::AskedStop {
 public:
  // Belongs to the jobs, which may outlive us. Only the worker's thread uses it.
  using Begun = std::shared_ptr<Owned<HolderStop>>;
  Stop(SharedSession& session, Begun begun) : session_(session), begun_(std::move(begun)) {}

  void close() override {
    (void)run([core = session_.core_, begun = begun_] { *begun = Owned<HolderStop>(); });
    delete this;
  }

 private:
  Result<SignalResult> ask(SignalStep step) override {
    const auto answer = std::make_shared<Answer<SignalResult>>();
    const auto job = [core = session_.core_, begun = begun_, answer, step] {
      answer->it = (*begun)->signal(step);
    };
    return run(job) ? answer->it : silent(session_.core_->directory);
  }
  bool run(const std::function<void()>& job) {
    return session_.worker_.run(job, plus(os::boot_ns(), kPatience)) == Worker::Ran::done;
  }

  SharedSession& session_;
  const Begun begun_;
};

Result<Owned<HolderStop>> SharedSession::stop(std::uint32_t lock, std::uint32_t slot,
                                              std::uint64_t hold, StopFor what_for) {
  const auto begun = std::make_shared<Owned<HolderStop>>();
  const auto failed = std::make_shared<Status>();
  const bool done = run([=](Core& core) {
    *failed = core.open();
    if (!failed->ok()) return;
    Result<Owned<HolderStop>> inner = core.session.stop(lock, slot, hold, what_for);
    if (inner.ok()) {
      *begun = std::move(inner.value());
    } else {
      *failed = inner.error();
    }
  });
  if (!done) return silent(core_->directory);
  if (!failed->ok()) return failed->error();
  return *begun ? Owned<HolderStop>(new Stop(*this, begun)) : Owned<HolderStop>();
}

Upkeep SharedSession::upkeep(About, std::uint32_t) const {
  Upkeep known;
  if (lease_ != nullptr) {
    known = lease_->upkeep();
    known.name.assign("its-descriptors");
  }
  return known;
}

void SharedSession::release(Ending ending, const Instant& now) {
  std::exchange(lease_, nullptr)->release(ending, now);
}

}  // namespace atmost::shared
