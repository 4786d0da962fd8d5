#include "run/supervisor.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <set>

namespace atmost::run {
namespace {

TEST(Passing, TheTable) {
  const std::set<int> not_twice = {SIGHUP, SIGINT, SIGQUIT, SIGWINCH};
  const std::set<int> stops = {SIGTSTP, SIGTTIN, SIGTTOU};
  for (int signal = 1; signal <= 64; ++signal) {
    const Passing expected = not_twice.count(signal) ? Passing::not_twice
                             : stops.count(signal)   ? Passing::stops
                             : signal == SIGCONT     ? Passing::resumes
                             : signal == SIGCHLD     ? Passing::ours
                                                     : Passing::always;
    EXPECT_EQ(passing_of(signal), expected) << signal;
  }
}

TEST(Passing, OwnStop) {
  EXPECT_EQ(own_stop_for(SIGSTOP), SIGTSTP);
  for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU}) EXPECT_EQ(own_stop_for(signal), signal);
}

}  // namespace
}  // namespace atmost::run
