// A caller whose first answer is final leaves nothing in the queue.
#include <gtest/gtest.h>

#include "limiter/admission.h"
#include "os/clock.h"
#include "unit/store/lock_kit.h"

namespace atmost::limiter {
namespace {

TEST(FirstAnswer, KeepsNoTicket) {
  const local::Directory directory;
  local::User runs(directory.path());
  runs.now = os::now();
  runs.request.rate = {1, Duration::seconds(3600)};
  ASSERT_EQ(runs.ask(), "admit");
  runs.release();
  // Its rate allows it in an hour, and it would wait for a second.
  local::User late(directory.path());
  late.request.rate = runs.request.rate;
  late.request.on_too_soon = OnTooSoon::wait;
  late.request.wait = Duration::seconds(1);
  const Result<Session*> session = late.session();
  ASSERT_TRUE(session.ok());
  const Outcome outcome = admit({late.request, late.store().traits(), *session.value()},
                                policy::decide, nullptr, late.lease, {Signals::theirs});
  EXPECT_EQ(outcome.decision.verdict, Verdict::too_soon);
  const local::Outsider file(directory.path());
  EXPECT_FALSE(file.sees_lock(0, 0));
}

}  // namespace
}  // namespace atmost::limiter
