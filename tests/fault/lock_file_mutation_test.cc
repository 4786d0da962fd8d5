// 20,000 fixed mutations of lock files: the checks of the fuzzer, on every build and in seconds.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "fuzz/lock_file_trial.h"
#include "store/local/hints.h"

namespace atmost::fuzz {
namespace {

// xorshift64*, so that every machine tries the same files.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  std::uint64_t roll() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1d;
  }
  std::uint64_t below(std::uint64_t limit) { return roll() % limit; }
  // Zeros, ones, small numbers and anything, as programs and crashes leave them.
  std::uint8_t byte() {
    switch (below(4)) {
      case 0:
        return 0;
      case 1:
        return 0xff;
      case 2:
        return static_cast<std::uint8_t>(below(16));
      default:
        return static_cast<std::uint8_t>(roll());
    }
  }

 private:
  std::uint64_t state_;
};

class LockFileMutations : public ::testing::TestWithParam<int> {};

TEST_P(LockFileMutations, AreNeverBelieved) {
  constexpr int kTrials = 4'500;
  Dice dice(static_cast<std::uint64_t>(GetParam()) + 1);
  LockFileTrial trial;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<std::uint8_t> input(1 + dice.below(300));
    for (std::uint8_t& each : input) each = dice.byte();
    const char* wrong = trial.run_bytes(input.data(), input.size());
    ASSERT_EQ(wrong, nullptr) << wrong << " in trial " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seed, LockFileMutations, ::testing::Range(1, 5));

// Forged with care: every field of a header, a word and a record set to extremes, and the checksums
// right.
TEST(LockFileForgeries, AreNeverBelieved) {
  LockFileTrial trial;
  Dice dice(4711);
  constexpr std::uint64_t kExtremes[] = {0,          1,          7,          8,         9,
                                         0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX, UINT64_MAX};
  for (int i = 0; i < 2'000; ++i) {
    local::Header header = {};
    std::memcpy(header.magic, local::kMagic, sizeof header.magic);
    header.version = local::kFormatVersion;
    std::uint64_t words[sizeof(header) / 8];
    std::memcpy(words, &header, sizeof header);
    for (std::size_t field = 2; field < sizeof words / 8 - 1; ++field) {
      if (dice.below(2) == 0) words[field] = kExtremes[dice.below(std::size(kExtremes))];
    }
    if (dice.below(4) != 0)
      words[1] = local::kFormatVersion;  // not drained: the search itself is to be tried
    words[sizeof words / 8 - 1] = local::checksum_of(words, sizeof words - 8);

    local::Record record = {};
    std::memset(&record, static_cast<int>(dice.byte()), sizeof record);
    record.slot = 2;
    record.pid = static_cast<std::uint32_t>(kExtremes[dice.below(std::size(kExtremes))]);
    record.start_boot_ns = static_cast<std::int64_t>(kExtremes[dice.below(std::size(kExtremes))]);
    record.checksum = local::checksum_of(&record, sizeof record - 8);

    const std::uint64_t index = kExtremes[dice.below(std::size(kExtremes))];
    const std::uint64_t word = kExtremes[dice.below(std::size(kExtremes))];
    const auto bytes = [](const auto& from) {
      return reinterpret_cast<const std::uint8_t*>(&from);
    };
    const Piece pieces[] = {
        {local::kIndexAt, bytes(index), sizeof index},
        {local::kHeaderAt, bytes(words), sizeof words},
        {local::word_at(static_cast<std::uint32_t>(1 + dice.below(5))), bytes(word), sizeof word},
        {local::record_at(2), bytes(record), sizeof record},
    };
    const char* wrong = trial.run(pieces, std::size(pieces), false);
    ASSERT_EQ(wrong, nullptr) << wrong << " in trial " << i;
  }
}

}  // namespace
}  // namespace atmost::fuzz
