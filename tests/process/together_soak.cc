// Ten thousand callers who take several of six locks.
#include "together_kit.h"

namespace witness {

TEST(TogetherSoak, TenThousandCallers) {
  Crowd crowd;
  crowd.callers = 10'000;
  crowd.at_once = 48;
  expect_no_deadlock_and_no_overlap(crowd);
}

}  // namespace witness
