#include "policy/limits.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/limiter.h"
#include "os/self.h"
#include "unit/store/lock_kit.h"

namespace atmost {
namespace {

TEST(Splay, IsWaitedForBeforeTheDecision) {
  const local::Directory directory;
  local::LocalStore store;
  const auto request = std::make_unique<Request>();
  request->locks[0].path = kept(directory.path());
  request->locks[0].name = "job";
  request->no_history = true;
  request->splay = Duration::millis(300);
  const Duration part = policy::splay_part(request->splay, os::host_name(), "job");
  char name[] = "/bin/true";
  char* argv[] = {name, nullptr};
  const auto begin = std::chrono::steady_clock::now();
  const Outcome outcome = run_command(store, *request, {argv}, nullptr);
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(outcome.kind, Outcome::Kind::ran);
  EXPECT_GE(took, std::chrono::nanoseconds(part.ns));
  EXPECT_EQ(outcome.waited.ns, 0);  // it does not count as waiting for a slot
}

}  // namespace
}  // namespace atmost
