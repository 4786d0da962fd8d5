// Histories that can have been are accepted, all others refused.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "fleet/history.h"

namespace fleet_kit {
namespace {

Use use(std::vector<std::uint32_t> slots, std::uint64_t token, double asked, double begun,
        double ended) {
  return {std::move(slots), token, asked, begun, ended};
}

std::string verdict(std::vector<Use> uses, std::uint32_t slots = 2) {
  return contradiction({slots, std::move(uses)});
}

TEST(Checker, AcceptsWhatCanBe) {
  EXPECT_EQ(verdict({}), "");
  EXPECT_EQ(verdict({use({1}, 5, 0, 1, 2), use({1}, 6, 0, 3, 4), use({2}, 7, 2, 3, 9)}), "");
  EXPECT_EQ(verdict({use({1}, 6, 0, 4, 5), use({2}, 5, 3, 5, 6)}), "")
      << "the later one may have been granted first";
  EXPECT_EQ(verdict({use({1, 2}, 5, 0, 1, 2), use({2}, 6, 0, 2, 3), use({1}, 7, 0, 2, 3)}), "");
  EXPECT_EQ(verdict({use({1}, 5, 0, 1, 1), use({1}, 6, 0, 1, 2)}), "")
      << "killed as soon as it had begun";
}

TEST(Checker, RefusesTwoOnOneSlot) {
  EXPECT_NE(verdict({use({1}, 5, 0, 1, 4), use({1}, 6, 0, 3, 5)}), "");
  EXPECT_NE(verdict({use({1}, 6, 0, 1, 4), use({1}, 5, 0, 3, 5)}), "")
      << "whichever has the lower token";
  EXPECT_NE(verdict({use({1}, 5, 0, 1, 9), use({1}, 6, 0, 2, 3)}), "") << "one inside the other";
  EXPECT_NE(verdict({use({1}, 5, 0, 1, 9), use({2}, 6, 0, 2, 3), use({1, 2}, 7, 0, 4, 5)}), "")
      << "one of two slots";
  EXPECT_NE(verdict({use({1}, 5, 0, 1, 9), use({1}, 6, 0, 9, 9.5), use({1}, 7, 0, 9.2, 9.3)}), "");
}

TEST(Checker, RefusesAKilledHolderThatWasSeenAfterTheNextHadBegun) {
  // Its end is unknown: it was killed some time after 4, its last sign of life.
  EXPECT_NE(verdict({use({1}, 5, 0, 1, 4), use({1}, 6, 2, 3.9, 5)}), "");
  EXPECT_EQ(verdict({use({1}, 5, 0, 1, 4), use({1}, 6, 2, 4.1, 5)}), "");
}

TEST(Checker, RefusesTokensThatGoAgainstTime) {
  EXPECT_NE(verdict({use({1}, 6, 0, 1, 2), use({2}, 5, 3, 4, 5)}), "")
      << "asked when the other had begun";
  EXPECT_NE(verdict({use({1}, 6, 0, 3, 4), use({1}, 5, 0, 5, 6)}), "")
      << "the slot was not free then";
  EXPECT_NE(verdict({use({1}, 5, 0, 1, 3), use({1}, 6, 0, 5, 6), use({2}, 7, 0, 2, 9)}), "")
      << "7 after 6 after the end of 5, at 3: too late for 2";
}

TEST(Checker, RefusesTokensGivenTwice) {
  EXPECT_NE(verdict({use({1}, 6, 0, 1, 2), use({2}, 6, 0, 1, 2)}), "");
  EXPECT_NE(verdict({use({1}, 6, 0, 1, 2), use({1}, 6, 0, 3, 4)}), "");
}

TEST(Checker, RefusesSlotsThatAreNotThere) {
  EXPECT_NE(verdict({use({3}, 6, 0, 1, 2)}), "");
  EXPECT_NE(verdict({use({0}, 6, 0, 1, 2)}), "");
  EXPECT_NE(verdict({use({}, 6, 0, 1, 2)}), "");
  EXPECT_NE(verdict({use({1, 1}, 6, 0, 1, 2)}), "");
}

TEST(Checker, RefusesTimesThatRunBackwards) {
  EXPECT_NE(verdict({use({1}, 6, 2, 1, 3)}), "");
  EXPECT_NE(verdict({use({1}, 6, 0, 2, 1)}), "");
}

// The rules again, and every order of takings and givings back tried one after the other.
struct Search {
  const std::vector<Use>& uses;
  unsigned taken = 0;
  unsigned given = 0;

  bool solvable(double now, std::uint64_t token) {
    if (given + 1 == 1u << uses.size()) return true;
    for (unsigned i = 0; i < uses.size(); ++i) {
      const unsigned bit = 1u << i;
      if ((given & bit) != 0) continue;
      const bool taking = (taken & bit) == 0;
      const double moment = std::max(now, taking ? uses[i].asked : uses[i].ended);
      if (taking && (moment > uses[i].begun || uses[i].token <= token || !free(uses[i]))) continue;
      (taking ? taken : given) |= bit;
      if (solvable(moment, taking ? uses[i].token : token)) return true;
      (taking ? taken : given) &= ~bit;
    }
    return false;
  }
  bool free(const Use& wanted) const {
    for (unsigned i = 0; i < uses.size(); ++i) {
      if ((taken & ~given & 1u << i) == 0) continue;
      for (std::uint32_t slot : uses[i].slots) {
        if (std::find(wanted.slots.begin(), wanted.slots.end(), slot) != wanted.slots.end())
          return false;
      }
    }
    return true;
  }
};

TEST(Checker, DecidesAsASearchOfAllOrdersDoes) {
  std::mt19937 random(7);
  unsigned accepted = 0;
  constexpr unsigned kHistories = 60000;
  for (unsigned i = 0; i < kHistories; ++i) {
    std::vector<Use> uses(1 + random() % 4);
    for (Use& one : uses) {
      one.slots = {static_cast<std::uint32_t>(1 + random() % 2)};
      if (random() % 4 == 0) one.slots = {1, 2};
      one.token = 1 + random() % 9;
      one.asked = random() % 9;
      one.begun = one.asked + random() % 5;
      one.ended = one.begun + random() % 4;
    }
    const bool possible = Search{uses}.solvable(0, 0);
    accepted += possible ? 1 : 0;
    ASSERT_EQ(contradiction({2, uses}).empty(), possible)
        << "history " << i << ": " << contradiction({2, uses});
  }
  EXPECT_GT(accepted, kHistories / 20);
  EXPECT_LT(accepted, kHistories * 19 / 20);
}

TEST(HistoryFile, IsReadAsItWasWritten) {
  char path[] = "/tmp/atmost-history-XXXXXX";
  close(mkstemp(path));
  ASSERT_TRUE(
      write({4, {use({1, 3}, 5, 0.123456789, 1, 2), use({1}, 6, 0, 3, 4)}}, "two uses", path));
  std::string why;
  const History history = read(path, why);
  EXPECT_EQ(why, "");
  ASSERT_EQ(history.uses.size(), 2u);
  EXPECT_EQ(history.slots, 4u);
  EXPECT_EQ(history.uses[0].slots, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(history.uses[0].token, 5u);
  EXPECT_DOUBLE_EQ(history.uses[0].asked, 0.123456789);
  EXPECT_DOUBLE_EQ(history.uses[1].ended, 4);
  unlink(path);
  EXPECT_TRUE(read(path, why).uses.empty());
  EXPECT_NE(why, "");
}

TEST(HistoryFile, SaysWhereItIsWrong) {
  char path[] = "/tmp/atmost-history-XXXXXX";
  close(mkstemp(path));
  const std::string head = "atmost-history 1 slots 4\n";
  for (const std::string& wrong :
       {std::string(""), std::string("1 5 0 1 2\n"), head + "1 5 0 1\n", head + "1, 5 0 1 2\n",
        head + "1 5 0 1 nan\n", head + "1 5 0 1 2 3\n", head + "-1 5 0 1 2\n"}) {
    std::ofstream(path) << wrong;
    std::string why;
    (void)read(path, why);
    EXPECT_EQ(why.find(path), 0u) << wrong;
  }
  unlink(path);
}

}  // namespace
}  // namespace fleet_kit
