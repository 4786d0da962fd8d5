#include "waiting_line.h"

#include <cstdlib>

#include "core/host.h"
#include "core/words.h"
#include "output.h"
#include "table.h"

namespace atmost::cli {
namespace {

// What half of the runs took is worth telling after so many runs.
constexpr std::uint32_t kEnoughRuns = 5;
constexpr Duration kShortest = Duration::seconds(1);  // that is worth telling
constexpr Duration kPause = Duration::seconds(1);
// In a fleet each line costs requests.
constexpr Duration kFleetPause = Duration::seconds(15);

class Looker final : public LockVisitor {
 public:
  Looker(const Instant& now, std::uint32_t max, Duration usual)
      : now_(now), usual_(usual), max_(max), host_(kept_host_name()) {}

  void header(const Header&) override {}
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
    if (waiter.max != max_) return;
    ++view.waiting;
    const bool here = waiter.host.empty() || waiter.host.view() == host_.view();
    if (here && waiter.pid == own_process()) view.place = view.waiting;
  }

  QueueView view;

 private:
  const Instant& now_;
  Duration usual_;
  std::uint32_t max_;
  std::int64_t last_pid_ = 0;
  Text<255> host_;
};

// To whole units, so that the line does not seem to know more than it does.
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

bool WaitingLine::belongs_here() const {
  if (invocation_.quiet || invocation_.json) return false;
  if (!is_terminal(2) || !in_foreground(2)) return false;
  const char* kind = std::getenv("TERM");
  if (kind == nullptr || std::string_view(kind) == "dumb") return false;
  // Looking closes the lock file, and with it a lock that belongs to the process.
  return has_description_locks() && invocation_.request.until != Until::close;
}

Duration WaitingLine::show() {
  if (state_ == State::unknown) {
    state_ = belongs_here() ? State::soon : State::never;
    if (state_ == State::soon) return kPause;
  }
  if (state_ == State::never) return Duration::forever();
  if (in_foreground(2)) write();
  return invocation_.locks->traits().leased ? kFleetPause : kPause;
}

void WaitingLine::write() {
  const Request& request = invocation_.request;
  const LockSpec& lock = request.locks[0];
  if (state_ == State::soon && invocation_.locks->traits().remembers) {
    const Result<Tuning> tuning = tune(*invocation_.locks, request);
    if (tuning.ok() && tuning.value().completed >= kEnoughRuns) usual_ = tuning.value().half;
  }
  const Instant moment = now();
  Looker seen(moment, lock.mode == Mode::plain ? lock.max : kMaxSlots + 1, usual_);
  if (!invocation_.locks->inspect(lock, moment, &seen).ok()) return;
  const Text<1500> words = waiting_words(lock.name, seen.view, usual_, lock.max);
  const unsigned columns = terminal_size(2).columns;
  Output to(2);
  to.text("\ratmost: ").text(cut_to_width(words, columns > 10 ? columns - 9 : 70)).text("\x1b[K");
  to.flush();
  state_ = State::shown;
}

void WaitingLine::remove() {
  if (state_ != State::shown) return;
  Output to(2);
  to.text("\r\x1b[K").flush();
  state_ = State::soon;
}

}  // namespace atmost::cli
