#include "journal.h"

#include <new>

#include "core/host.h"
#include "core/parse.h"
#include "history/line.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/self.h"
#include "paths.h"

namespace atmost::limiter {
namespace {

// A separate function because of its large buffer.
[[gnu::noinline]] void make_directories(const PathText& above) {
  PathText which;
  (void)os::make_directories_above(above, which);
}

// Fills it where it is: a copy is four KiB.
void fill_place(const Request& request, const StoreTraits& traits, history::LogPlace& place) {
  place.mode_given = request.mode_given;
  place.mode = request.create_mode;  // a user that may take the lock may write its history
  // A user that may rename files in the own log's directory owns the caller's other files, too; and
  // the lock beside another one was opened.
  place.check_directories = !request.log.empty() && !request.log_is_own;
  place.optional = !request.log.empty() && request.log_is_own;
  if (!request.log.empty()) {
    request.log.join(place.path);
    if (!request.log_is_own && !traits.has_path && request.make_parents)
      make_directories(place.path);
    return;
  }
  const std::string_view lock = request.locks[0].path;
  const std::size_t slash = lock.rfind('/');
  place.path.assign({lock.data(), slash == std::string_view::npos ? 0 : slash + 1});
  place.path.append(history::kDefaultName);
}

void make_absolute(PathText& path) {
  if (!path.empty() && path.view().front() == '/') return;
  PathText absolute;
  if (absolute_path(path, absolute)) path = absolute;
}

}  // namespace

Journal::Journal(const Request& request, const StoreTraits& traits, const Command& command,
                 Observer* observer, AppendFn append_event)
    : request_(request),
      traits_(traits),
      command_(command),
      observer_(observer),
      // The original exectimes keeps no history.
      enabled_(!request.no_history && !request.foreign_format),
      append_(append_event),
      log_(place_) {
  if (enabled_) fill_place(request, traits, place_);
}

void Journal::begin_anew() {
  enabled_ = !request_.no_history && !request_.foreign_format;
  path_of_ = 0;
  user_known_ = false;
  if (!enabled_) return;
  fill_place(request_, traits_, place_);
  make_absolute(place_.path);
}

void Journal::denied(const Outcome& outcome) {
  Event event;
  if (!begin(Event::Kind::denied, event)) return;
  name_lock(outcome.decision.lock < request_.lock_count ? outcome.decision.lock : 0, event);
  event.denied = {outcome.decision.verdict, outcome.decision.why, outcome.decision.retry_in,
                  outcome.decision.held, outcome.decision.waiters};
  event.waited = outcome.waited;
  append(event);
}

void Journal::admitted(const Lease& lease, Duration waited, When when, const Instant* at) {
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    const HeldLock& held = lease.lock(i);
    for (std::uint32_t j = 0; j < held.vanished_count; ++j) vanished(i, held.vanished[j]);
  }
  Event event;
  if (!begin(Event::Kind::admitted, event, at)) return;
  event.waited = waited;
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    const HeldLock& held = lease.lock(i);
    tokens_[i] = event.token = held.token;
    slots_[i] = held.count > 0 ? held.slots[0] : 0;
    event.slots = {held.slots, held.count};
    name_lock(i, event);
    held_back_ = when == When::with_the_next && request_.lock_count == 1 && held.count == 1 &&
                 append_ == nullptr;
    if (!held_back_) {
      append(event);
    } else {
      event.slots = {slots_, 1};
      held_back_event_ = event;
    }
  }
}

void Journal::flush() {
  if (!held_back_) return;
  held_back_ = false;
  append(held_back_event_);
}

void Journal::vanished(std::uint32_t lock, const Vanished& run) {
  Event event;
  if (!begin(Event::Kind::vanished, event)) return;
  name_lock(lock, event);
  event.slots = {&run.slot, 1};
  event.holder.pid = run.pid;
  event.holder.token = run.token;
  append(event);
}

void Journal::expired(std::uint32_t lock, std::uint32_t slot, const Event::Holder& holder) {
  Event event;
  const bool overdue = holder.reason == StopReason::overdue;
  if (!begin(overdue ? Event::Kind::expired : Event::Kind::stopping, event)) return;
  name_lock(lock, event);
  event.slots = {&slot, 1};
  event.holder = holder;
  append(event);
}

void Journal::signalled(std::uint32_t lock, std::uint32_t slot, const Event::Holder& holder,
                        const Event::Signalled& signal, const Instant& sent) {
  Event event;
  if (!begin(Event::Kind::signalled, event)) return;
  name_lock(lock, event);
  event.slots = {&slot, 1};
  event.holder = holder;
  event.holder.age = event.holder.expire_after = Duration::forever();
  event.signalled = signal;
  event.at = sent;
  append(event);
}

void Journal::lost() {
  Event event;
  if (!begin(Event::Kind::lost, event)) return;
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    event.token = tokens_[i];
    event.slots = {&slots_[i], slots_[i] != 0 ? std::size_t{1} : 0};
    name_lock(i, event);
    append(event);
  }
}

void Journal::ended(const Outcome& outcome) {
  Event event;
  if (!begin(Event::Kind::ended, event, &over_at_)) return;
  fill_end(outcome, event);
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    event.token = tokens_[i];
    event.slots = {&slots_[i], slots_[i] != 0 ? std::size_t{1} : 0};
    event.ended.suspicious = (outcome.suspicious >> i & 1) != 0;
    name_lock(i, event);
    append(event);
  }
}

void Journal::fill_end(const Outcome& outcome, Event& event) {
  event.waited = outcome.waited;
  event.ended.status = outcome.status;
  event.ended.stopped = outcome.stopped;
  event.ended.too_fast = outcome.too_fast;
  event.ended.ran = outcome.ran;
  event.ended.usage = outcome.usage;
  if (outcome.kind == Outcome::Kind::failed) event.ended.not_started = outcome.error.code;
}

std::size_t Journal::describe(const Outcome& outcome, const Lease* lease, std::span<char> to) {
  Event event;
  fill_caller(lease != nullptr ? Event::Kind::admitted : Event::Kind::ended, event, &over_at_);
  if (lease != nullptr) {
    tokens_[0] = lease->lock(0).token;
    slots_[0] = lease->lock(0).count > 0 ? lease->lock(0).slots[0] : 0;
  } else {
    fill_end(outcome, event);
  }
  event.waited = outcome.waited;
  event.token = tokens_[0];
  event.slots = {&slots_[0], slots_[0] != 0 ? std::size_t{1} : 0};
  name_lock(0, event);
  return history::format_line(event, to);
}

bool Journal::begin(Event::Kind kind, Event& event, const Instant* at) {
  if (!enabled_) return false;
  fill_caller(kind, event, at);
  return true;
}

void Journal::fill_caller(Event::Kind kind, Event& event, const Instant* at) {
  if (host_.empty()) host_ = os::host_name();
  event.kind = kind;
  event.at = at != nullptr && at->real_ns != 0 ? *at : os::now();
  event.host = host_;
  event.pid = os::process_id();
  if (!user_known_) user_ = os::user_id();
  user_known_ = true;
  event.uid = user_;
  event.id = request_.id;
  event.command = request_.command;
  if (request_.log_args) event.arguments = command_.argv;
}

void Journal::name_lock(std::uint32_t lock, Event& event) {
  const LockSpec& spec = request_.locks[lock];
  const std::string_view name = spec.name;
  event.lock = name;
  const Result<LockForm> form = classify_lock(name);
  if (form.ok() && form.value() == LockForm::atom) {
    const std::size_t colon = name.find(':');
    event.op = {name.data(), colon};
    event.operand = {name.data() + colon + 1, name.size() - colon - 1};
  }
  event.path = spec.path;
  if (is_relative(traits_, spec)) {
    if (path_of_ != lock + 1) {
      new (&path_.text) PathText(spec.path);
      make_absolute(path_.text);
      path_of_ = lock + 1;
    }
    event.path = path_.text;
  }
  event.max = spec.max;
  event.take = spec.take;
  event.mode = spec.mode;
}

void Journal::append(const Event& event) {
  if (!enabled_) return;
  Status done = is_a_lock()
                    ? error_of(Code::usage, 0, "the log is the lock file itself; name another file")
                : append_ != nullptr ? append_(place_, event)
                : held_back_         ? log_.append(held_back_event_, &event)
                                     : log_.append(event);
  held_back_ = false;
  if (done.ok()) return;
  enabled_ = false;
  if (observer_ != nullptr) observer_->warning(done.error());
}

// If the log is one of the locks, events would overwrite the lock file. Only a log that an option
// named can be one.
bool Journal::is_a_lock() {
  struct stat log;
  if (request_.log.empty() || request_.log_is_own ||
      os::path_status(place_.path.c_str(), log, false) != 0)
    return false;
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    struct stat lock;
    if (os::path_status(request_.locks[i].path.c_str(), lock, false) != 0) continue;
    if (lock.st_dev == log.st_dev && lock.st_ino == log.st_ino) return true;
  }
  return false;
}

}  // namespace atmost::limiter
