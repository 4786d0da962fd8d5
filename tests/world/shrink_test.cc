#include "world/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "world/draw.h"

namespace world {
namespace {

// Ten callers of four runs each; every seventh event is a fault.
Script large() {
  Script script;
  script.seed = 1;
  script.breaks = "order";
  script.rates.switches = 300'000;
  script.listed = true;
  for (int c = 0; c < 10; ++c) {
    Caller& caller = script.callers.emplace_back();
    caller.kind = c % 2 == 0 ? kRun : kLibrary;
    caller.keeping = c % 2;
    for (int r = 0; r < 4; ++r) {
      world::Run& run = caller.runs.emplace_back();
      run.max = 2 + r;
      run.wait_ns = 600;
    }
  }
  Draws draws(1, Purpose::scenario, kNobody);
  for (std::uint64_t i = 0; i < 2000; ++i) {
    Event& event = script.events.emplace_back();
    event.process = static_cast<int>(draws.below(10));
    event.call = i + 1;
    event.kind = i % 7 == 0 ? Event::Kind::kill : Event::Kind::run_next;
    event.value = event.kind == Event::Kind::run_next ? static_cast<int>(draws.below(10)) : 0;
  }
  return script;
}

bool has(const Script& script, const Event& event) {
  return std::ranges::find(script.events, event) != script.events.end();
}

std::size_t runs_of(const Script& script, std::size_t caller) {
  return caller < script.callers.size() ? script.callers[caller].runs.size() : 0;
}

TEST(Shorten, LeavesWhatTheViolationNeeds) {
  const Script whole = large();
  const Event first = whole.events[70];  // a fault
  const Event second = whole.events[1001];
  const Event third = whole.events[1002];
  const auto f = static_cast<std::size_t>(first.process);
  const Script shorter = shorten(whole, [&](const Script& script) -> std::string {
    const bool wide = runs_of(script, f) > 0 && script.callers[f].runs.back().max == 5;
    const bool all = has(script, first) && has(script, second) && has(script, third);
    return all && wide ? "order" : "";
  });
  EXPECT_EQ(shorter.events, (std::vector<Event>{first, second, third}));
  EXPECT_EQ(shorter.callers[f].runs, (std::vector<world::Run>{{.max = 5}}));
  EXPECT_EQ(shorter.callers[f].kind, kRun);
  EXPECT_EQ(shorter.rates, Rates{});
  // Events need their processes, which need a run; no other caller is left.
  std::vector<bool> needed(10);
  for (const Event& event : shorter.events) {
    needed[static_cast<std::size_t>(event.process)] = true;
    if (event.kind == Event::Kind::run_next) needed[static_cast<std::size_t>(event.value)] = true;
  }
  for (std::size_t c = 0; c < 10; ++c) EXPECT_EQ(runs_of(shorter, c), needed[c] ? 1u : 0u) << c;
}

TEST(Shorten, AnotherInvariantIsAnotherFault) {
  const Script whole = large();
  const auto breaks = [&](const Script& script) -> std::string {
    return script.events.size() >= 100 ? "order" : "idle";
  };
  EXPECT_EQ(shorten(whole, breaks).events.size(), 100u);
}

TEST(Shorten, ACallerThatIsLeftOutKeepsItsNumber) {
  const Script shorter = shorten(large(), [](const Script& script) -> std::string {
    return runs_of(script, 3) > 0 && script.callers[3].kind == kLibrary ? "order" : "";
  });
  ASSERT_EQ(shorter.callers.size(), 4u);
  EXPECT_EQ(shorter.callers[0], Caller{});
  EXPECT_EQ(shorter.callers[3].kind, kLibrary);
  EXPECT_EQ(shorter.callers[3].keeping, 0);
  EXPECT_EQ(shorter.callers[3].runs, std::vector<world::Run>(1));
  EXPECT_TRUE(shorter.events.empty());
}

TEST(Shorten, TheLastRunOfACallerNeedsThoseBeforeIt) {
  const Script shorter = shorten(large(), [](const Script& script) -> std::string {
    return runs_of(script, 0) >= 3 ? "order" : "";
  });
  EXPECT_EQ(runs_of(shorter, 0), 3u);
}

TEST(Shorten, StopsWhenItIsToldTo) {
  int trials = 0;
  const auto breaks = [&](const Script& script) -> std::string {
    ++trials;
    return script.events.size() > 10 ? "order" : "";
  };
  const Script shorter = shorten(large(), breaks, [&] { return trials < 5; });
  EXPECT_EQ(trials, 5);
  EXPECT_EQ(breaks(shorter), "order");
}

TEST(Shorten, TakesFewTrials) {
  const Script whole = large();
  const Event needed = whole.events[1234];
  int trials = 0;
  shorten(whole, [&](const Script& script) -> std::string {
    ++trials;
    return has(script, needed) ? "order" : "";
  });
  EXPECT_LT(trials, 150);
}

}  // namespace
}  // namespace world
