#include "journal.h"

#include <new>

#include "core/outcome.h"
#include "core/parse.h"
#include "environment.h"
#include "history/log.h"
#include "os/above.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/process.h"
#include "os/self.h"
#include "rule/facts.h"

namespace atmost::limiter {
namespace {

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
    if (!request.log_is_own && !traits.has_path && request.make_parents) {
      ScopedArena texts;
      TextView unmade;
      (void)os::make_directories_above(place.path, texts, unmade);
    }
    return;
  }
  const std::string_view lock = request.locks[0].path;
  const std::size_t slash = lock.rfind('/');
  place.path.assign({lock.data(), slash == std::string_view::npos ? 0 : slash + 1});
  place.path.append(history::kDefaultName);
}

void fill_holder(Event& event, std::int64_t pid, std::uint64_t token) {
  event.known("holder_pid", pid).known("holder_token", token);
}

void fill_refusal(Event& event, int signal, std::int64_t pid) {
  event.signal("signal", signal).known("process", pid);
  os::ProcessLabel label;
  if (os::process_label(pid, label)) event.number("process_uid", label.user);
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
  (void)make_absolute(place_.path);
}

void Journal::denied(const Outcome& outcome) {
  Event event;
  if (!begin(Event::Kind::denied, event)) return;
  fill_denial(outcome, event);
  append(event);
}

void Journal::fill_denial(const Outcome& outcome, Event& event) {
  const Decision& decision = outcome.decision;
  name_lock(decision.lock < request_.lock_count ? decision.lock : 0, event);
  event.text("why",
             decision.verdict == Verdict::too_soon ? "too_soon" : name_of(kWhyNames, decision.why));
  event.time("retry_in_s", decision.retry_in).time("waited_s", outcome.waited);
  if (decision.limited) event.number("max", decision.max);
  event.number("held", decision.held).number("waiters", decision.waiters);
}

void Journal::admitted(const Lease& lease, Duration waited, const Instant* at) {
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    const HeldLock& held = lease.lock(i);
    for (std::uint32_t j = 0; j < held.vanished_count; ++j) vanished(i, held.vanished[j]);
  }
  Event event;
  if (!begin(Event::Kind::admitted, event, at)) return;
  event.time("waited_s", waited);
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    const HeldLock& held = lease.lock(i);
    tokens_[i] = held.token;
    slots_[i] = held.count > 0 ? held.slots[0] : 0;
    maxima_[i] = held.limit != nullptr ? rule::limited(request_.locks[i], *held.limit).max : 0;
    name_hold(i, event);
    event.numbers("slots", {held.slots, held.count > 1 ? held.count : 0});
    append(event);
  }
}

void Journal::vanished(std::uint32_t lock, const Vanished& run) {
  Event event;
  if (!begin(Event::Kind::vanished, event)) return;
  name_lock(lock, event);
  fill_holder(event.number("slot", run.slot), run.pid, run.token);
  append(event);
}

void Journal::expired(std::uint32_t lock, std::uint32_t slot, const HolderToStop& holder) {
  Event event;
  const bool overdue = holder.reason == StopReason::overdue;
  if (!begin(overdue ? Event::Kind::expired : Event::Kind::stopping, event)) return;
  name_lock(lock, event);
  event.number("slot", slot);
  if (!overdue) event.text("why", name_of(kStopReasonNames, holder.reason));
  fill_holder(event, holder.pid, holder.token);
  event.known("age_s", holder.age).known("expire_after_s", holder.expire_after);
  append(event);
}

void Journal::signalled(std::uint32_t lock, std::uint32_t slot, const HolderToStop& holder,
                        const SentSignal& signal) {
  Event event;
  if (!begin(Event::Kind::signalled, event, &signal.sent)) return;
  name_lock(lock, event);
  event.number("slot", slot).signal("signal", signal.signal).flag("worked", signal.worked);
  fill_holder(event, holder.pid, holder.token);
  append(event);
}

void Journal::unreached(std::uint32_t lock, std::uint32_t slot, const HolderToStop& holder,
                        int signal, std::int64_t pid) {
  Event event;
  if (!begin(Event::Kind::unreached, event)) return;
  name_lock(lock, event);
  fill_refusal(event.number("slot", slot), signal, pid);
  fill_holder(event, holder.pid, holder.token);
  append(event);
}

void Journal::unreached(int signal, std::int64_t pid) {
  Event event;
  if (!begin(Event::Kind::unreached, event)) return;
  fill_refusal(event, signal, pid);
  append_each(event);
}

void Journal::lost() {
  Event event;
  if (begin(Event::Kind::lost, event)) append_each(event);
}

void Journal::ended(const Outcome& outcome) {
  Event event;
  if (!begin(Event::Kind::ended, event, &outcome.over_at)) return;
  fill_end(outcome, event);
  append_each(event, outcome.suspicious);
}

void Journal::fill_end(const Outcome& outcome, Event& event) {
  if (outcome.kind == Outcome::Kind::failed) {
    event.number("exit", static_cast<int>(outcome.error.code)).flag("started", false);
    return;
  }
  if (outcome.status.signal != 0) {
    event.signal("signal", outcome.status.signal).known("core", outcome.status.core_dumped);
  } else {
    event.number("exit", outcome.status.code);
  }
  if (outcome.stopped != Stopped::no)
    event.text("stopped", name_of(kStoppedNames, outcome.stopped));
  event.known("too_fast", outcome.too_fast);
  event.time("waited_s", outcome.waited).time("ran_s", outcome.ran);
  if (!outcome.usage.known) return;
  event.time("cpu_s", {outcome.usage.cpu_ns}).number("peak_kib", outcome.usage.peak_kib);
}

bool Journal::begin(Event::Kind kind, Event& event, const Instant* at) {
  if (!enabled_) return false;
  fill_caller(kind, event, at);
  return true;
}

void Journal::fill_caller(Event::Kind kind, Event& event, const Instant* at) {
  if (host_.empty()) host_ = os::host_name();
  event.begin(kind, at != nullptr && at->real_ns != 0 ? *at : os::now());
  event.text("host", host_).number("pid", os::process_id());
  if (!user_known_) user_ = os::user_id();
  user_known_ = true;
  event.number("uid", user_).text("id", request_.id).text("command", request_.command);
  if (request_.log_args) event.texts("args", command_.argv);
}

void Journal::name_lock(std::uint32_t lock, Event& event) {
  const LockSpec& spec = request_.locks[lock];
  const std::string_view name = spec.name;
  event.text("lock", name).text("operator", {}).text("operand", {});
  const Result<LockForm> form = classify_lock(name);
  if (form.ok() && form.value() == LockForm::atom) {
    const std::size_t colon = name.find(':');
    event.text("operator", {name.data(), colon});
    event.text("operand", {name.data() + colon + 1, name.size() - colon - 1});
  }
  event.text("path", spec.path);
  if (is_relative(traits_, spec)) {
    if (path_of_ != lock + 1) {
      new (&path_.text) PathText(spec.path);
      (void)make_absolute(path_.text);
      path_of_ = lock + 1;
    }
    event.text("path", path_.text);
  }
  event.number("max", maxima_[lock] != 0 ? maxima_[lock] : spec.max).number("take", spec.take);
  event.text("mode",
             spec.mode == Mode::plain ? std::string_view() : name_of(kModeNames, spec.mode));
}

// With the slot and the token that this request has there, or had.
void Journal::name_hold(std::uint32_t lock, Event& event) {
  name_lock(lock, event);
  event.known("token", tokens_[lock]).known("slot", slots_[lock]);
}

void Journal::limited(std::string_view from, std::string_view to) {
  Event event;
  if (!begin(Event::Kind::limited, event)) return;
  name_lock(0, event);
  event.known("max", 0).known("take", 0);  // nobody asks for slots
  event.text("from", from).text("to", to);
  append(event);
}

void Journal::append_each(Event& event, std::uint32_t suspicious) {
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    name_hold(i, event);
    event.known("suspicious", (suspicious >> i & 1) != 0);
    append(event);
  }
}

void Journal::append(const Event& event) {
  if (!enabled_) return;
  const bool chosen = !request_.log.empty() && !request_.log_is_own;
  Status done = chosen && is_a_lock()
                    ? error_of(Code::usage, 0, "the log is the lock file itself; name another file")
                : append_ != nullptr ? append_(place_, event)
                                     : log_.append(event);
  if (done.ok()) return;
  enabled_ = false;
  if (observer_ != nullptr) observer_->warning(done.error());
}

// If the log is one of the locks, events would overwrite the lock file. Only a log that an option
// named can be one.
bool Journal::is_a_lock() {
  struct stat log;
  if (os::path_status(place_.path.c_str(), log, false) != 0) return false;
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    struct stat lock;
    if (os::path_status(request_.locks[i].path.c_str(), lock, false) == 0 &&
        lock.st_dev == log.st_dev && lock.st_ino == log.st_ino)
      return true;
  }
  return false;
}

}  // namespace atmost::limiter
