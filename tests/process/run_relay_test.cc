// Processes that fork their successor and end, faster than anybody can look: each pass over /proc
// may miss them. They use up all process numbers within seconds, so nothing else is tested
// meanwhile.
#include "run_kit.h"

namespace witness {
namespace {

class RunRelay : public Run {
 protected:
  Argv relays(int count) const {
    Argv words = {"ignore=2", "ignore=15"};
    for (int i = 0; i < count; ++i) words.insert(words.end(), {"daemon", "relay", "then"});
    words.push_back("pause");
    return child(words);
  }
  bool all_gone() {
    return eventually(Bound(20'000), [&] {
      world_.reap();
      return world_.descendants().empty();
    });
  }
};

TEST_F(RunRelay, IsStopped) {
  EXPECT_EQ(words(world_.run(host({"--max=200", "--grace=400"}, relays(2)))), "exit 124");
  EXPECT_TRUE(all_gone());
}

// More of them than there are processors: they end faster than they are reaped.
TEST_F(RunRelay, OfManyDoesNotHoldTheClockUp) {
  EXPECT_EQ(words(world_.run(host({"--max=200", "--grace=400"}, relays(4)))), "exit 124");
  EXPECT_TRUE(all_gone());
}

}  // namespace
}  // namespace witness
