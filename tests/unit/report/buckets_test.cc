#include "buckets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "kit.h"

namespace atmost::report {
namespace {

// A story of runs and waits that begin, end and overlap anywhere, beyond the window too.
// Milliseconds.
LockStory random_story(std::mt19937_64& random) {
  constexpr std::int64_t kMs = 1'000'000;
  LockStory story;
  for (int i = 0; i < 40; ++i) {
    Run run;
    run.start_ns = static_cast<std::int64_t>(random() % 3000) * kMs;
    run.ran_ns = static_cast<std::int64_t>(random() % (i % 4 == 0 ? 3000 : 50)) * kMs;
    run.waited_ns = static_cast<std::int64_t>(random() % 200) * kMs;
    run.take = 1 + random() % 3;
    run.status = RunStatus(random() % kFates);
    story.runs.push_back(run);
    story.marks.push_back({static_cast<std::int64_t>(random() % 3000) * kMs,
                           static_cast<std::int64_t>(random() % 100) * kMs,
                           Mark::Kind(random() % 3), 0});
  }
  return story;
}

constexpr Window kWindow{1'000'000'000, 2'000'000'000, 37};

std::int64_t overlap(std::int64_t a, std::int64_t b, double from, double to) {
  return static_cast<std::int64_t>(
      std::max(0.0, std::min(static_cast<double>(b), to) - std::max(static_cast<double>(a), from)));
}

TEST(Buckets, AddUpToWhatTheyArePiecesOf) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 50; ++round) {
    const LockStory story = random_story(random);
    const std::vector<Bucket> buckets = buckets_of(story, kWindow);
    std::size_t runs = 0;
    for (std::size_t i = 0; i < kWindow.count; ++i) {
      const double from = 1e9 + static_cast<double>(i) * kWindow.width_ns();
      double held = 0;
      for (const report::Run& run : story.runs) {
        held += run.take * static_cast<double>(overlap(run.start_ns, run.end_ns(), from,
                                                       from + kWindow.width_ns()));
      }
      EXPECT_NEAR(buckets[i].held, held / kWindow.width_ns(), 1e-4) << i;
      runs += buckets[i].runs;
    }
    const auto inside =
        std::count_if(story.runs.begin(), story.runs.end(), [](const report::Run& run) {
          return run.start_ns >= kWindow.from_ns && run.start_ns <= kWindow.to_ns;
        });
    EXPECT_EQ(runs, static_cast<std::size_t>(inside));
  }
}

TEST(Queue, IsAsLongAsThoseWhoWaitAtOnce) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 50; ++round) {
    const LockStory story = random_story(random);
    const std::vector<std::uint32_t> queue = queue_of({&story}, kWindow);
    std::vector<std::uint32_t> naive(kWindow.count, 0);
    // The longest queue of a piece is there when one begins to wait, or at the piece's beginning.
    const auto waiting = [&](double at) {
      std::uint32_t count = 0;
      const auto add = [&](std::int64_t end, std::int64_t waited) {
        count += static_cast<double>(end - waited) <= at && at < static_cast<double>(end);
      };
      for (const report::Run& run : story.runs) add(run.start_ns, run.waited_ns);
      for (const Mark& mark : story.marks) add(mark.at_ns, mark.waited_ns);
      return count;
    };
    for (std::size_t i = 0; i < kWindow.count; ++i) {
      const double from = 1e9 + static_cast<double>(i) * kWindow.width_ns();
      naive[i] = waiting(from);
      const auto look = [&](std::int64_t begin) {
        const auto at = static_cast<double>(begin);
        if (at >= from && at < from + kWindow.width_ns())
          naive[i] = std::max(naive[i], waiting(at));
      };
      for (const report::Run& run : story.runs) look(run.start_ns - run.waited_ns);
      for (const Mark& mark : story.marks) look(mark.at_ns - mark.waited_ns);
    }
    EXPECT_EQ(queue, naive);
  }
}

}  // namespace
}  // namespace atmost::report
