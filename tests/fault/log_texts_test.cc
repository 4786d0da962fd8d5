// 1,000 fixed inputs of the fuzzer of the log: its checks, on every build and in seconds.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "fuzz/log_trial.h"

namespace atmost::fuzz {
namespace {

TEST(LogTexts, NeverBreakALine) {
  constexpr int kTrials = 1'000;
  std::mt19937 random(7);
  LogTrial trial;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<std::uint8_t> input(random() % 1000);
    // Half of the bytes of a trial are alike, so that whole texts are escapes, quotes or plain.
    const std::uint8_t usual[] = {1, '"', 'x', 0xff, 0xc3, 0};
    const std::uint8_t often = usual[random() % sizeof usual];
    for (std::uint8_t& each : input)
      each = random() % 2 == 0 ? often : static_cast<std::uint8_t>(random());
    const char* wrong = trial.run(input.data(), input.size());
    ASSERT_EQ(wrong, nullptr) << wrong << " in trial " << i;
  }
}

}  // namespace
}  // namespace atmost::fuzz
