// Holders that end, or hand on to a child, while a taker looks for them: they may not be reported
// as unproven.
#include <cstdlib>
#include <map>

#include "takeover_kit.h"

namespace witness {
namespace {

class Short : public Takeover, public ::testing::WithParamInterface<const char*> {
 protected:
  // `make soak` asks for more.
  static int tries() {
    const char* asked = getenv("ATMOST_TESTS_TRIES");
    return asked != nullptr ? atoi(asked) : 60;
  }
  Answer take_at_once() {
    return ask(
        join(run({"--no-history", "--expire-after", "0", "--kill-grace", "20ms"}), {"/bin/true"}),
        kLong);
  }
  std::string script(const std::string& mode) const {
    const std::string atmost = under_test("atmost");
    if (mode == "supervised") return atmost + " run --no-history '" + lock_ + "' -- sleep 0.004";
    if (mode == "exec") return atmost + " run --no-history --exec '" + lock_ + "' -- sleep 0.004";
    if (mode == "close")
      return atmost + " run --no-history --exec --until=close '" + lock_ + "' -- sleep 0.004";
    if (mode == "hold")
      return "sh -c '" + atmost + " hold --no-history --for-pid $$ " + lock_ + " && sleep 0.004'";
    return under_test("exectimes") + " '" + lock_ + "' 1 sleep 0.004";
  }
};

TEST_P(Short, IsNeverCalledUnprovable) {
  world_.start({"/bin/sh", "-c", "while :; do " + script(GetParam()) + "; done >/dev/null 2>&1"});
  std::map<std::string, int> ends;
  std::string words;
  for (int i = 0; i < tries(); ++i) {
    const Answer taken = take_at_once();
    ++ends[taken.end];
    if (taken.end != "exit 0") words = taken.errors;
  }
  EXPECT_EQ(ends["exit 77"], 0) << "of " << tries() << ": " << words;
  EXPECT_GT(ends["exit 0"], 0) << words;
}

INSTANTIATE_TEST_SUITE_P(Holder, Short,
                         ::testing::Values("supervised", "exec", "close", "hold", "exectimes"),
                         [](const auto& tested) { return std::string(tested.param); });

// Each process hands on to a child and ends: it is stopped, or outlives the takeover and is named.
TEST_F(Takeover, OfAChainOfForks) {
  const std::string chain = "c() { echo x >>'" + file("chain") + "'; sleep 0.01; c & }; c";
  for (int i = 0; i < 10; ++i) {
    const std::size_t before = lines("chain").size();
    world_.start(join(run({"--no-history", "--exec"}), {"/bin/sh", "-c", chain}));
    ASSERT_TRUE(eventually(kLong, [&] { return lines("chain").size() >= before + 2; }));
    const Answer taken = take({"--no-history", "--expire-after", "0"});
    EXPECT_TRUE(taken.end == "exit 0" || taken.end == "exit 75")
        << taken.end << ": " << taken.errors;
    world_.kill_all();
  }
}

}  // namespace
}  // namespace witness
