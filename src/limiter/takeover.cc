#include "takeover.h"

#include "admission.h"
#include "core/words.h"
#include "os/clock.h"
#include "os/signal_numbers.h"
#include "policy/limits.h"
#include "takeover_words.h"
#include "ward.h"

namespace atmost::limiter {
namespace {

// How often a pressed holder is looked at: a pause ends at most so much late.
constexpr std::int64_t kLookNs = 10'000'000;
// While killing, what was missed or started meanwhile, and who goes last, is swept again so often,
// and for so long at least: a busy machine takes its time to end a killed process, and to say
// meanwhile that it survived would be wrong.
constexpr std::int64_t kKillAgainNs = 30'000'000;
constexpr Duration kShortestKill = Duration::seconds(2);
constexpr int kFewestKills =
    3;  // however long they take: the holder itself goes last, when nobody is seen below it

struct Stage {
  SignalStep pressure;
  int signal;
};
constexpr Stage kStages[] = {{SignalStep::interrupt, os::kInterrupt},
                             {SignalStep::terminate, os::kTerminate},
                             {SignalStep::kill, os::kKill}};

class Pursuit {
 public:
  Pursuit(Store& store, const Request& request, const Motive& why, Decision& decision,
          Observer* observer, TakeoverLog* log)
      : store_(store),
        request_(request),
        why_(why),
        decision_(decision),
        observer_(observer),
        log_(log) {}

  Result<Takeover> run();

 private:
  struct Victim {
    bool held = true;
    bool immune = false;
    std::int64_t left = 0;           // whom the last press met
    std::int64_t until_boot_ns = 0;  // the end of its lease, if that is known to be the last
    Event::Holder holder;
    Text<63> host;  // of it; empty: this one
    Text<63> id, command;
    bool noted = false;
    int signal = 0;  // the last one sent, until it is known whether it worked
    SignalStep last = SignalStep::none;
    Instant sent;
  };

  // `act(index)` for each victim that still holds, until one fails.
  template <class Act>
  Status each(Act act);
  Result<SignalResult> press(std::uint32_t index, SignalStep pressure);
  Status prove(std::uint32_t index);
  bool shares_hold(std::uint32_t index) const;
  Status signal(std::uint32_t index, const Stage& stage);
  std::int64_t patience(bool killing) const;
  Status pursue(const Stage& stage);
  Result<Takeover> press_on();
  void settle(std::uint32_t index);
  void tell_stopped(std::uint32_t index);
  void name_survivors();
  bool shares_hold_with_earlier(std::uint32_t index) const;
  void remember();
  bool any_held() const;
  bool any_immune() const;

  Store& store_;
  const Request& request_;
  const Motive& why_;
  Decision& decision_;
  Observer* observer_;
  TakeoverLog* log_;
  bool young_ = false;
  Victim victims_[kMaxVictims];
};

template <class Act>
Status Pursuit::each(Act act) {
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    if (!victims_[i].held) continue;
    if (Status done = act(i); !done.ok()) return done;
  }
  return {};
}

bool Pursuit::any_immune() const {
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    if (victims_[i].held && victims_[i].immune) return true;
  }
  return false;
}

bool Pursuit::any_held() const {
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    if (victims_[i].held) return true;
  }
  return false;
}

// Tells the log whether the last signal to it worked.
void Pursuit::settle(std::uint32_t index) {
  Victim& victim = victims_[index];
  if (victim.signal == 0) return;
  const Event::Signalled signalled = {victim.signal, !victim.held};
  victim.signal = 0;
  if (!victim.held) tell_stopped(index);
  if (log_ == nullptr) return;
  log_->signalled(decision_.lock, decision_.victims[index], victim.holder, signalled, victim.sent);
}

void Pursuit::tell_stopped(std::uint32_t index) {
  if (observer_ == nullptr) return;
  const Victim& victim = victims_[index];
  StoppedHolder holder;
  holder.slot = decision_.victims[index];
  holder.who = {victim.holder.pid, victim.host};
  holder.id = victim.id;
  holder.command = victim.command;
  holder.held = victim.holder.age;
  holder.reason = why_.reason;
  holder.limit = why_.due;
  holder.learned = why_.learned;
  holder.last = victim.last;
  holder.noted = victim.noted;
  observer_->holder_stopped(request_.locks[decision_.lock], holder);
}

Result<SignalResult> Pursuit::press(std::uint32_t index, SignalStep pressure) {
  Victim& victim = victims_[index];
  const std::uint32_t slot = decision_.victims[index];
  Result<SignalResult> pressed =
      store_.press(decision_.lock, slot, decision_.holds[index], pressure);
  if (!pressed.ok()) return pressed;
  const SignalResult& found = pressed.value();
  victim.held = found.held;
  if (!found.held) settle(index);
  if (found.held && (found.unprovable || found.ancestor)) {
    return unproven_words(request_.locks[decision_.lock], slot, found);
  }
  if (found.held && pressure != SignalStep::none) {
    if (pressure == SignalStep::prove) {
      victim.holder.pid = found.pid;
      victim.host = found.host;
      victim.id = found.id;
      victim.command = found.command;
    }
    victim.noted = found.noted;
    victim.left = found.pid;
    if (pressure == SignalStep::kill) victim.until_boot_ns = found.until_boot_ns;
    victim.immune = found.immune;
  }
  return pressed;
}

Status Pursuit::prove(std::uint32_t index) {
  const Result<SignalResult> found = press(index, SignalStep::prove);
  if (!found.ok()) return found.error();
  const Instant now = moment(request_);
  const Stamp& start = found.value().start;
  std::int64_t age = start.known ? age_ns(start, now) : -1;
  // The record may be of somebody before, of another boot clock, or a lie: nobody has held for
  // longer than he lives.
  const std::int64_t life = now.boot_ns - found.value().oldest_boot_ns;
  if (found.value().oldest_boot_ns != 0 && !now.given && life < age) age = life;
  Victim& victim = victims_[index];
  victim.holder.token = found.value().token;
  if (age >= 0) victim.holder.age = {age};
  if (victim.held && !now.given && age < why_.due.ns) young_ = true;
  return {};
}

// One hold of several slots is one holder, who hears each signal once: for a second INT many
// programs drop everything.
bool Pursuit::shares_hold(std::uint32_t index) const {
  for (std::uint32_t i = 0; i < index; ++i) {
    if (victims_[i].held && decision_.holds[i] != 0 && decision_.holds[i] == decision_.holds[index])
      return true;
  }
  return false;
}

Status Pursuit::signal(std::uint32_t index, const Stage& stage) {
  if (shares_hold(index)) return {};
  Victim& victim = victims_[index];
  const Instant sent = os::now();
  const Result<SignalResult> found = press(index, stage.pressure);
  if (!found.ok()) return found.error();
  if (!victim.held || found.value().signalled == 0 || victim.signal == stage.signal) return {};
  settle(index);
  victim.signal = stage.signal;
  victim.last = stage.pressure;
  victim.sent = sent;
  if (observer_ != nullptr) {
    observer_->stopping_holder(request_.locks[decision_.lock], decision_.victims[index],
                               {victim.holder.pid, victim.host}, stage.pressure);
  }
  return {};
}

// Until when after a signal. In a fleet KILL means: who cannot be reached loses its lease, which
// may be longer than ours.
std::int64_t Pursuit::patience(bool killing) const {
  constexpr Duration kExpiry = Duration::seconds(2);  // until a store notices that a lease is over
  const std::int64_t now = os::boot_ns();
  if (!killing || request_.locks[0].store != StoreKind::fleet) {
    const bool short_kill = killing && request_.kill_grace < kShortestKill;
    return plus(now, short_kill ? kShortestKill : request_.kill_grace);
  }
  std::int64_t until = 0;
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    const Victim& victim = victims_[i];
    const std::int64_t end =
        victim.until_boot_ns != 0 ? victim.until_boot_ns : plus(now, request_.ttl);
    if (victim.held && end > until) until = end;
  }
  return plus(until, kExpiry);
}

// One signal to everybody, and its grace.
Status Pursuit::pursue(const Stage& stage) {
  const auto signal_one = [&](std::uint32_t index) { return signal(index, stage); };
  const auto look = [&](std::uint32_t index) -> Status {
    const Result<SignalResult> found = press(index, SignalStep::none);
    return found.ok() ? Status{} : Status{found.error()};
  };
  if (Status sent = each(signal_one); !sent.ok()) return sent;
  const bool killing = stage.pressure == SignalStep::kill;
  const std::int64_t until = patience(killing);
  std::int64_t again = plus(os::boot_ns(), {kKillAgainNs});
  int to_come = killing ? kFewestKills - 1 : 0;
  do {
    os::sleep_until(plus(os::boot_ns(), {kLookNs}));
    const bool sweep = killing && os::boot_ns() >= again;
    if (Status looked = sweep ? each(signal_one) : each(look); !looked.ok()) return looked;
    if (sweep) again = plus(os::boot_ns(), {kKillAgainNs});
    if (sweep && to_come > 0) --to_come;
  } while (any_held() && (os::boot_ns() < until || to_come > 0));
  return {};
}

Result<Takeover> Pursuit::press_on() {
  for (const Stage& stage : kStages) {
    if (!any_held()) return Takeover::freed;
    if (any_immune()) break;
    if (Status pursued = pursue(stage); !pursued.ok()) return pursued.error();
  }
  if (!any_held()) return Takeover::freed;
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    if (victims_[i].held) decision_.culprit = victims_[i].left;
  }
  return any_immune() ? Takeover::immune : Takeover::survived;
}

bool Pursuit::shares_hold_with_earlier(std::uint32_t index) const {
  for (std::uint32_t i = 0; i < index; ++i) {
    if (decision_.holds[i] != 0 && decision_.holds[i] == decision_.holds[index]) return true;
  }
  return false;
}

// Of a supervised tree nothing is left. Other holders have what they started to themselves:
// somebody should know of it.
void Pursuit::name_survivors() {
  if (observer_ == nullptr) return;
  constexpr int kLooks = 6;  // what ends together with its parent may take a moment
  std::uint64_t tokens[kMaxVictims];
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) tokens[i] = victims_[i].holder.token;
  std::int64_t pids[kNamedSurvivors];
  std::uint32_t count = 0;
  for (int look = 0; look < kLooks; ++look) {
    if (look > 0) os::sleep_until(plus(os::boot_ns(), {kLookNs}));
    count = store_.survivors({tokens, decision_.victim_count}, pids);
    if (count == 0) return;
  }
  observer_->warning(survivors_words(request_.locks[decision_.lock], pids, count));
}

// Those that were stopped for their age would have taken longer. Whoever was only in the way says
// nothing.
void Pursuit::remember() {
  if (why_.due.is_zero() || request_.no_memory) return;
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    const Duration age = victims_[i].holder.age;
    if (shares_hold_with_earlier(i) || age.is_forever()) continue;
    RunSample what;
    what.kind = RunSample::Kind::stopped;
    what.ran = age;
    store_.learn(request_, decision_.lock, policy::remember, what);
  }
}

Result<Takeover> Pursuit::run() {
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    Result<bool> begun = store_.begin_takeover(decision_.lock, decision_.victims[i]);
    if (!begun.ok()) return begun.error();
    if (!begun.value()) return Takeover::taken;
    if (why_.reason == StopReason::kill) store_.mark_as_kill(decision_.lock, decision_.victims[i]);
  }
  tell_lease(request_);  // the claim lies under it
  const Status proven = each([&](std::uint32_t index) { return prove(index); });
  if (!proven.ok()) return proven.error();
  if (young_) return Takeover::young;
  (void)each([&](std::uint32_t index) {
    victims_[index].holder.reason = why_.reason;
    if (why_.reason == StopReason::overdue) victims_[index].holder.expire_after = why_.due;
    if (log_ != nullptr)
      log_->expired(decision_.lock, decision_.victims[index], victims_[index].holder);
    return Status{};
  });
  Result<Takeover> end = press_on();
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) settle(i);
  if (end.ok() && end.value() == Takeover::freed) {
    remember();
    name_survivors();
  }
  return end;
}

}  // namespace

Result<Takeover> take_over(Store& store, const Request& request, const Motive& why,
                           Decision& decision, Observer* observer, TakeoverLog* log) {
  return Pursuit(store, request, why, decision, observer, log).run();
}

void end_takeover(Store& store, const Decision& decision) {
  for (std::uint32_t i = 0; i < decision.victim_count; ++i)
    store.end_takeover(decision.lock, decision.victims[i]);
}

}  // namespace atmost::limiter
