#include "waiting_line.h"

#include <cstdlib>

#include "core/words.h"
#include "os/host.h"
#include "os/locks.h"
#include "output.h"
#include "table.h"

namespace atmost::cli {
namespace {

// The median of the runs is shown from so many runs on.
constexpr std::uint32_t kEnoughRuns = 5;
constexpr Duration kShortest = Duration::seconds(1);  // that is worth telling
constexpr Duration kPause = Duration::seconds(1);
constexpr Duration kLinesPause = Duration::seconds(60);
// In a fleet each line costs requests.
constexpr Duration kFleetPause = Duration::seconds(15);

class Looker final : public LockVisitor {
 public:
  Looker(const Instant& now, const LockSpec& lock, Duration usual)
      : now_(now), usual_(usual), lock_(lock), max(lock.max), host_(os::kept_host_name()) {}

  void header(const Header& header) override {
    const bool lower = header.limit != nullptr && (!lock_.max_given || max > header.limit->max);
    if (lower) max = header.limit->max;
  }
  void holder(const HolderView& holder) override {
    if (holder.read_locked) return;
    if (holder.pid > 0 && holder.pid == last_pid_) return;  // it has several slots
    last_pid_ = holder.pid;
    const std::int64_t age = holder.start.known ? age_ns(holder.start, now_) : -1;
    const Duration rest = {age >= 0 && usual_.ns > age ? usual_.ns - age : 0};
    if (view.held == 0 || rest < view.soonest) view.soonest = rest;
    if (++view.held > 1 || holder.pid <= 0) return;
    if (age > 0) view.held_for = {age};
    view.holder.append_signed(holder.pid);
    if (!holder.host.empty()) view.holder.push('@').append(holder.host);
    if (!holder.command.empty()) view.holder.push(' ').append(holder.command);
    if (!holder.id.empty()) view.holder.append(" \"").append(holder.id).push('"');
  }
  void waiter(const WaiterView& waiter) override {
    if (waiter.max != (lock_.mode == Mode::plain ? max : kMaxSlots + 1)) return;
    ++view.waiting;
    const bool here = waiter.host.empty() || waiter.host.view() == host_.view();
    if (here && waiter.pid == os::process_id()) view.place = view.waiting;
  }

  QueueView view;

 private:
  const Instant& now_;
  Duration usual_;
  const LockSpec& lock_;

 public:
  std::uint32_t max;  // that it waits under, with the limit of record

 private:
  std::int64_t last_pid_ = 0;
  Text<255> host_;
};

// Rounded to whole units, so that the line does not seem more exact than it is.
Duration coarse(Duration span) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t unit = span.ns < 60 * kSecond     ? 5 * kSecond
                            : span.ns < 3600 * kSecond ? 60 * kSecond
                                                       : 600 * kSecond;
  return {(span.ns + unit - 1) / unit * unit};
}

}  // namespace

Text<16> ordinal(std::uint32_t number) {
  const std::uint32_t ten = number % 100 / 10;
  const std::uint32_t one = number % 10;
  const std::string_view ending = ten == 1 || one == 0 || one > 3 ? "th"
                                  : one == 1                      ? "st"
                                  : one == 2                      ? "nd"
                                                                  : "rd";
  return Text<16>().append_unsigned(number).append(ending);
}

Duration expected_wait(const QueueView& view, Duration usual, std::uint32_t max) {
  if (usual.is_zero() || max == 0 || view.place == 0 || view.soonest.is_zero()) return {};
  const auto rounds = static_cast<std::int64_t>((view.place - 1) / max);
  if (rounds > 0 && usual.ns > (Duration::kForever - view.soonest.ns) / rounds) return {};
  return {view.soonest.ns + rounds * usual.ns};
}

Text<1500> waiting_words(std::string_view lock, const QueueView& view, Duration usual,
                         std::uint32_t max) {
  Text<1500> to("waiting for ");
  append_escaped(to, lock);
  if (view.place != 0) {
    to.append(": ").append(ordinal(view.place)).append(" of ").append_unsigned(view.waiting);
    const Duration wait = expected_wait(view, usual, max);
    if (wait >= kShortest) to.append(", about ").append(duration_words(coarse(wait)));
  }
  if (view.held == 0) return to;
  to.append("; held by ");
  if (view.holder.empty()) {
    to.append("a process not visible from here");
  } else {
    append_escaped(to, view.holder);
  }
  if (!view.held_for.is_zero()) to.append(" for ").append(duration_words(view.held_for));
  if (view.held > 1) to.append(", and ").append_unsigned(view.held - 1);
  if (view.held > 1) to.append(view.held == 2 ? " other" : " others");
  return to;
}

WaitingLine::Form WaitingLine::form_here() const {
  if (invocation_.quiet || invocation_.json) return Form::none;
  // Looking closes the lock file, and with it a lock that belongs to the process.
  if (!os::has_description_locks() || invocation_.request.until == Until::close) return Form::none;
  if (invocation_.progress == Progress::lines) return Form::lines;
  if (!os::is_terminal(2) || !os::in_foreground(2)) return Form::none;
  const char* kind = std::getenv("TERM");
  const bool goes_back = kind != nullptr && std::string_view(kind) != "dumb";
  return goes_back ? Form::live : Form::lines;
}

Duration WaitingLine::pause() const {
  if (form_ == Form::lines) return kLinesPause;
  return invocation_.locks->traits().leased ? kFleetPause : kPause;
}

Duration WaitingLine::show() {
  const std::int64_t moment = now().boot_ns;
  if (form_ == Form::unknown) {
    form_ = form_here();
    due_ns_ = moment + (invocation_.progress == Progress::lines ? 0 : kPause.ns);
  }
  if (form_ == Form::none) return Duration::forever();
  if (moment >= due_ns_) {
    say();
    due_ns_ = moment + pause().ns;
  }
  return {due_ns_ - moment};
}

void WaitingLine::say() {
  if (invocation_.progress != Progress::lines && !os::in_foreground(2)) return;
  if (form_ == Form::live && !os::alone_on_terminal()) {
    remove();
    form_ = Form::lines;
  }
  const Request& request = invocation_.request;
  const LockSpec& lock = request.locks[0];
  if (!learned_ && invocation_.locks->traits().remembers) {
    const Result<Tuning> tuning = tune(*invocation_.locks, request);
    if (tuning.ok() && tuning.value().completed >= kEnoughRuns) usual_ = tuning.value().half;
  }
  learned_ = true;
  const Instant moment = now();
  Looker seen(moment, lock, usual_);
  if (!invocation_.locks->inspect(lock, moment, &seen).ok()) return;
  const Text<1500> words = waiting_words(lock.name, seen.view, usual_, seen.max);
  const unsigned columns = terminal_size(2).columns;
  const bool live = form_ == Form::live;
  if (live) os::keep_line_erasable();
  Output to(2);
  to.text(live ? "\ratmost: " : "atmost: ");
  if (live || os::is_terminal(2)) {
    to.text(cut_to_width(words, columns > 10 ? columns - 9 : 70));
  } else {
    to.text(words);
  }
  to.text(live ? "\x1b[K" : "\n").flush();
  shown_ = live;
}

void WaitingLine::erase() {
  Output to(2);
  to.text("\r\x1b[K").flush();
  os::forget_line();
  shown_ = false;
}

}  // namespace atmost::cli
