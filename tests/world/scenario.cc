#include "world/scenario.h"

#include <algorithm>
#include <iterator>

#include "world/draw.h"

namespace world {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kSecond = 1'000 * kMs;
// In some worlds there are so many times more callers: those far from the head look seldom.
constexpr int kCrowd = 3;

// The features that the runs of a world have in common: each feature is on in some worlds only, so
// that it meets the others in all mixes, and plain worlds are frequent.
struct Features {
  std::int64_t max = 1;
  std::int64_t locks = 1;
  bool mixed = false;    // each run has its own N
  bool several = false;  // K slots
  bool modes = false;    // readers and writers
  bool also = false;     // two locks
  bool rate = false;
  bool interval = false;
  bool library = false;
  bool exec = false;
  bool hold = false;
  bool original = false;  // exectimes
  bool drain = false;
  bool flock = false;
  bool join = false;
  bool supersede = false;
  bool queue_max = false;
  bool short_waits = false;
  bool many = false;       // holders of tens of slots, many above the limit of others
  bool unstarted = false;  // commands that cannot be started
  bool forks = false;      // programs with children that live on
  bool alike = false;      // all runs last equally long, and have one pace
  bool crowd = false;      // kCrowd times more callers
  bool mute = false;       // most are libraries
  bool expire = false;     // waits end about when holders leave
};

class Scenario {
 public:
  Scenario(std::uint64_t seed, const Limits& limits)
      : draws_(seed, Purpose::scenario, kNobody), seed_(seed), limits_(limits) {}

  Script make() {
    script_.seed = seed_;
    draw_features();
    draw_rates();
    draw_theme();
    const bool crowd = f_.crowd || (!f_.many && chance(4));
    const int callers = crowd ? kCrowd * limits_.callers : limits_.callers;
    const auto most = static_cast<std::uint64_t>(std::max(2, callers));
    const std::uint64_t count = f_.many    ? most + most / 2
                                : f_.crowd ? most
                                           : 2 + draws_.below(most - 1);
    for (std::uint64_t i = 0; i < count; ++i) script_.callers.push_back(caller());
    return std::move(script_);
  }

 private:
  bool chance(std::int64_t percent) { return draws_.happens(percent * 10'000); }
  template <std::size_t kSize>
  std::int64_t one_of(const std::int64_t (&of)[kSize]) {
    return of[draws_.below(kSize)];
  }
  // Lengths of all scales, from 1 ms on.
  std::int64_t length(std::uint64_t scales) {
    return (kMs << draws_.below(scales)) + static_cast<std::int64_t>(draws_.below(kMs));
  }

  void draw_features() {
    f_.max = 1 + static_cast<std::int64_t>(draws_.below(3));
    f_.mixed = chance(30);
    f_.several = chance(15);
    f_.modes = chance(20);
    f_.also = chance(15);
    f_.many = chance(6);
    f_.locks = f_.many ? 1 : f_.also ? 3 : chance(10) ? 2 : 1;
    f_.rate = chance(15);
    f_.interval = chance(10);
    f_.library = chance(35);
    f_.exec = chance(35);
    f_.hold = chance(15);
    f_.original = chance(10);
    f_.drain = chance(8);
    f_.flock = chance(8);
    f_.join = chance(8);
    f_.supersede = chance(8);
    f_.queue_max = chance(8);
    f_.short_waits = chance(25);
    f_.unstarted = chance(f_.rate || f_.interval ? 30 : 5);
    f_.forks = f_.library && chance(25);
    f_.alike = chance(15);
    pattern_.lasts_ns = length(11);
    draw_pace(pattern_);
  }

  void draw_rates() {
    Rates& rates = script_.rates;
    rates.switches = one_of({50'000, 300'000, 700'000, 1'000'000});
    rates.strategy = one_of({kEven, kEven, kEven, kEven, kPriorities, kOneLast});
    rates.last = static_cast<std::int64_t>(draws_.below(2));
    rates.choose = one_of({0, 500'000});
    if (chance(50)) return;
    rates.longest_ns = one_of({4 * kSecond, 4 * kSecond, 131 * kSecond});
    if (chance(30)) return draw_single_faults();
    rates.kill = one_of({0, 0, 500, 3'000});
    rates.freeze = one_of({0, 0, 300});
    rates.freeze_guard = one_of({0, 0, 2'000, 10'000});
    rates.freeze_asleep = one_of({0, 1'000, 5'000});
    rates.stop = one_of({0, 0, 200});
    rates.clock_step = one_of({0, 0, 0, 500});
    rates.interrupt = one_of({0, 0, 0, 1'000});
    rates.lose_event = one_of({0, 0, 0, 2'000});
    rates.no_space = one_of({0, 0, 0, 0, 0, 300});
  }

  // Of one kind, and few: what has to be done about a single one is known exactly.
  void draw_single_faults() {
    Rates& rates = script_.rates;
    switch (draws_.below(4)) {
      case 0:
        rates.kill = 60;
        break;
      case 1:
        rates.freeze = 60;
        break;
      case 2:
        rates.freeze_guard = 1'000;
        break;
      default:
        rates.freeze_asleep = 1'000;
    }
  }

  // Few features, so that a rare constellation of them is frequent in these worlds.
  void draw_theme() {
    Features few;
    few.max = f_.max;
    Rates rates;
    rates.switches = script_.rates.switches;
    switch (draws_.below(30)) {
      case 0:  // many wait for a slot, one of them may be paused, and nobody comes later
        few.crowd = few.alike = true;
        pattern_ = {};
        pattern_.lasts_ns = one_of({16 * kMs, 64 * kMs, 256 * kMs});
        limits_.runs = 1 + static_cast<int>(draws_.below(2));
        rates.freeze_asleep = one_of({0, 3'000});
        rates.longest_ns = 131 * kSecond;
        break;
      case 1:  // programs that cannot be called are paused in front of others
        few.library = few.mute = true;
        few.crowd = chance(50);
        rates.freeze_asleep = 5'000;
        rates.longest_ns = 131 * kSecond;
        break;
      case 2:  // all come at once and run for a moment; some are paused as they begin to wait
        few.crowd = few.alike = true;
        few.library = few.mute = chance(50);
        pattern_ = {};
        pattern_.lasts_ns = kMs << draws_.below(3);
        limits_.runs = 1;
        rates.freeze_asleep = one_of({5'000, 20'000, 60'000});
        rates.longest_ns = 131 * kSecond;
        break;
      case 3:  // waiters go just when they are called
        few.max = 2 + static_cast<std::int64_t>(draws_.below(2));
        few.several = few.alike = few.expire = true;
        pattern_ = {};
        pattern_.lasts_ns = one_of({8 * kMs, 32 * kMs, 128 * kMs});
        break;
      default:
        return;
    }
    f_ = few;
    script_.rates = rates;
  }

  std::int64_t kind() {
    if (f_.library && chance(f_.mute ? 60 : 35)) return kLibrary;
    if (f_.exec && chance(35)) return kExec;
    if (f_.hold && chance(25)) return kHold;
    if (f_.original && chance(25)) return kExectimes;
    return kRun;
  }

  Caller caller() {
    Caller made;
    const bool drains = f_.drain && chance(15);
    made.kind = drains ? static_cast<std::int64_t>(kDrain) : kind();
    made.until_close = made.kind == kExec && chance(50) ? 1 : 0;
    made.keeping = made.kind == kLibrary && chance(70) ? 1 : 0;
    const int runs = drains ? 2 : limits_.runs;
    for (int i = 0; i < runs; ++i) made.runs.push_back(run(made.kind));
    return made;
  }

  void draw_pace(Run& to) {
    if (f_.rate && chance(60)) {
      to.rate = 1 + static_cast<std::int64_t>(draws_.below(3));
      to.window_ns = one_of({50 * kMs, 300 * kMs, 2 * kSecond});
      to.on_too_soon = chance(70) ? kWait : kFail;
    }
    if (f_.interval && chance(60)) {
      to.if_elapsed_ns = one_of({20 * kMs, 300 * kMs, 3 * kSecond});
      to.elapsed_from = static_cast<std::int64_t>(draws_.below(3));
      to.on_too_soon = chance(50) ? kWait : kFail;
    }
  }

  static void copy_pace(const Run& from, Run& to) {
    to.rate = from.rate;
    to.window_ns = from.window_ns;
    to.if_elapsed_ns = from.if_elapsed_ns;
    to.elapsed_from = from.elapsed_from;
    to.on_too_soon = from.on_too_soon;
  }

  void draw_queueing(Run& to) {
    to.wait_ns = chance(80) ? 600 * kSecond : 0;
    if (to.wait_ns > 0 && f_.short_waits && chance(50)) to.wait_ns = length(13);
    if (f_.expire && chance(50))
      to.wait_ns = pattern_.lasts_ns * (1 + static_cast<std::int64_t>(draws_.below(3))) +
                   static_cast<std::int64_t>(draws_.below(4 * kMs)) - 3 * kMs;
    if (f_.join && chance(50)) to.on_busy = kJoin;
    if (f_.supersede && chance(50)) to.on_busy = kSupersede;
    if (f_.queue_max && chance(50)) to.queue_max = static_cast<std::int64_t>(draws_.below(4));
  }

  Run run(std::int64_t kind) {
    Run to;
    to.lock = 1 + static_cast<std::int64_t>(draws_.below(static_cast<std::uint64_t>(f_.locks)));
    to.max = f_.mixed ? 1 + static_cast<std::int64_t>(draws_.below(4)) : f_.max;
    if (f_.several && chance(40))
      to.take = 1 + static_cast<std::int64_t>(draws_.below(static_cast<std::uint64_t>(to.max)));
    to.lasts_ns = f_.alike ? pattern_.lasts_ns : length(11);
    to.ends = chance(80) ? kSucceeds : kFails;
    to.rest_ns = chance(50) ? length(8) : 0;
    if (f_.unstarted && kind == kRun && chance(30)) to.ends = kNotStarted;
    if (f_.forks && kind == kLibrary && chance(40)) to.child_ns = length(13);
    if (f_.many) {
      to.max = one_of({20, 40, 40});
      to.take = 1 + static_cast<std::int64_t>(draws_.below(to.max == 20 ? 4 : 12));
      if (to.max == 20) to.lasts_ns = length(5);
    }
    if (kind == kDrain) {
      to.slot = static_cast<std::int64_t>(draws_.below(3));
      to.rest_ns = length(11);
      return to;
    }
    if (kind == kExectimes) {
      to.take = 1;
      return to;
    }
    if (f_.modes && chance(70)) {
      to.mode = chance(30) ? kExclusive : kShared;
      const bool own_limit = to.mode == kShared && f_.mixed && chance(50);
      if (!own_limit) to.max = 1 << 18;
      to.take = 1;
    }
    if (f_.also && chance(50)) {
      to.also = 1 + static_cast<std::int64_t>(draws_.below(3));
      if (to.also == to.lock) to.also = 0;
    }
    if (f_.alike) {
      copy_pace(pattern_, to);
    } else {
      draw_pace(to);
    }
    draw_queueing(to);
    if (f_.flock && chance(50)) to.flock = 1;
    return to;
  }

  Draws draws_;
  std::uint64_t seed_;
  Limits limits_;
  Features f_;
  Run pattern_;  // where all are alike
  Script script_;
};

}  // namespace

Script scenario(std::uint64_t seed, const Limits& limits) { return Scenario(seed, limits).make(); }

}  // namespace world
