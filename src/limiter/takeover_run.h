// One takeover. Only for takeover.cc and takeover_words.cc.
#ifndef ATMOST_LIMITER_TAKEOVER_RUN_H
#define ATMOST_LIMITER_TAKEOVER_RUN_H

#include "admission.h"
#include "takeover.h"

namespace atmost::limiter {

// The interval at which a holder is checked after a signal: a pause ends at most this much late.
inline constexpr std::int64_t kLookNs = 10'000'000;

struct SignalStage {
  SignalStep step;
  int signal;
};

class TakeoverRun {
 public:
  TakeoverRun(const OpenLocks& locks, const Motive& why, Decision& decision, HolderStops& stops,
              const TakeoverReports& reports)
      : locks_(locks),
        request_(locks.request),
        why_(why),
        decision_(decision),
        stops_(stops),
        observer_(reports.observer),
        log_(reports.log) {}

  Result<Takeover> run();

 private:
  struct Victim {
    bool held = true;
    bool immune = false;
    std::int64_t left = 0;           // the process that the last signal reached
    std::int64_t refused = 0;        // one that may not be signalled
    int refused_signal = 0;          // the last signal that was refused
    std::int64_t until_boot_ns = 0;  // the end of its lease, if it is known not to be renewed
    HolderToStop holder;
    Text<63> host;  // of the process; empty: this one
    Text<63> id, command;
    bool noted = false;
    int signal = 0;  // the last one sent, until its effect is known
    SignalStep last = SignalStep::look;
    Instant sent;
  };

  // Calls `act(index)` for each victim that still holds, until one call fails.
  template <class Act>
  Status each(Act act);
  Result<SignalResult> signal_holder(std::uint32_t index, SignalStep step);
  Status prove(std::uint32_t index);
  bool shares_hold(std::uint32_t index) const;
  Status signal(std::uint32_t index, const SignalStage& stage);
  std::int64_t grace_end(bool killing) const;
  Status run_stage(const SignalStage& stage);
  Result<Takeover> run_stages();
  void settle(std::uint32_t index);
  void report_refusal(std::uint32_t index, std::int64_t pid, int signal);
  void report_stopped(std::uint32_t index);
  void name_survivors();
  bool shares_hold_with_earlier(std::uint32_t index) const;
  void learn_ages();
  bool any_held() const;
  bool any_immune() const;

  const OpenLocks& locks_;
  const Request& request_;
  const Motive& why_;
  Decision& decision_;
  HolderStops& stops_;
  Observer* observer_;
  TakeoverLog* log_;
  bool young_ = false;
  Victim victims_[kMaxVictims];
};

template <class Act>
Status TakeoverRun::each(Act act) {
  for (std::uint32_t i = 0; i < decision_.victim_count; ++i) {
    if (!victims_[i].held) continue;
    if (Status done = act(i); !done.ok()) return done;
  }
  return {};
}

}  // namespace atmost::limiter

#endif
