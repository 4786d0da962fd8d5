// Whole runs under learned limits. The processes, locks and signals are real; only the clocks are
// ours, so that a run of an hour takes as long as /bin/true.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <utility>

#include "core/limiter.h"
#include "os/calls.h"
#include "os/clock.h"
#include "store/local/stats_file.h"
#include "unit/store/lock_kit.h"

namespace atmost {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t ahead;                // of both clocks
std::function<void()> before_end;  // once for each command, while it still holds the lock

int our_clock(clockid_t clock, struct timespec* to) {
  const int result = os::kRealCalls.clock_gettime(clock, to);
  const std::int64_t ns = to->tv_sec * kSecond + to->tv_nsec + ahead;
  *to = {ns / kSecond, ns % kSecond};
  return result;
}

pid_t our_wait(pid_t pid, int* status, int options, struct rusage* used) {
  const pid_t ended = os::kRealCalls.wait4(pid, status, options, used);
  if (ended > 0 && before_end) std::exchange(before_end, {})();
  return ended;
}

class Learned : public ::testing::Test {
 protected:
  Learned() {
    ahead = 0;
    before_end = {};
    os::calls.clock_gettime = our_clock;
    os::calls.wait4 = our_wait;
    request_->locks[0].path = kept(path_);
    request_->locks[0].name = "job";
    request_->no_history = true;
    request_->expire_auto = true;
    request_->kill_grace = Duration::seconds(1);
  }
  ~Learned() override {
    os::calls = os::kRealCalls;
    if (hung_ > 0) {
      kill(hung_, SIGKILL);
      waitpid(hung_, nullptr, 0);
    }
  }

  Outcome command(const char* program, const char* argument = nullptr) {
    char* argv[] = {const_cast<char*>(program), const_cast<char*>(argument), nullptr};
    return run_command(store_, *request_, {argv}, nullptr);
  }

  // Runs for so long. The answer to a newcomer with a learned limit a moment before the end.
  std::string run(double seconds) {
    std::string told;
    before_end = [&] {
      ahead += static_cast<std::int64_t>(seconds * 1e9);
      told = newcomer();
    };
    EXPECT_EQ(command("/bin/true").kind, Outcome::Kind::ran);
    ahead += 60 * kSecond;
    return told;
  }
  std::string newcomer() {
    local::User user(path_);
    user.request.expire_auto = true;
    user.now = os::now();
    return user.ask();
  }

  // Another process runs what never ends; it stops who is overdue, as every newcomer does here.
  void hang() {
    const std::uint64_t before = token();
    const pid_t old = hung_;
    hung_ = fork();
    if (hung_ == 0) {
      os::calls.wait4 = os::kRealCalls.wait4;
      command("/bin/sleep", "1000");
      _exit(0);
    }
    for (int i = 0; i < 5000 && token() == before; ++i) usleep(1000);
    ASSERT_NE(token(), before);
    if (old > 0) waitpid(old, nullptr, 0);
  }
  // The one that hung was stopped. It may have been reaped already: a supervisor reaps every child
  // of its process.
  void gone() {
    waitpid(hung_, nullptr, 0);
    EXPECT_NE(kill(hung_, 0), 0);
    hung_ = 0;
  }
  // True if we are admitted after the old holder was stopped.
  bool takes_over() {
    if (command("/bin/true").kind != Outcome::Kind::ran) return false;
    gone();
    return true;
  }
  std::uint64_t token() const {
    struct Seen final : LockVisitor {
      void header(const Header& header) override { token = header.token; }
      void holder(const HolderView&) override {}
      void waiter(const WaiterView&) override {}
      std::uint64_t token = 0;
    } seen;
    return store_.inspect(request_->locks[0], now(), &seen).ok() ? seen.token : 0;
  }
  Duration limit() const { return tune(store_, *request_).value().limits.expire_after; }
  LockStats memory() const {
    const local::Outsider file(path_);
    LockStats memory;
    EXPECT_TRUE(local::read_lock_stats(file.fd(), memory));
    return memory;
  }

  const local::Directory directory_;
  mutable local::LocalStore store_;
  const std::string path_ = directory_.path("job.lock");
  const std::unique_ptr<Request> request_ = std::make_unique<Request>();
  pid_t hung_ = 0;
};

TEST_F(Learned, AJobThatGrowsByFivePercentARunIsNeverStopped) {
  double length = 60;
  for (int i = 0; i < 50; ++i, length *= 1.05)
    ASSERT_EQ(run(length), "busy") << "run " << i << " of " << length << " s";
  EXPECT_EQ(memory().completed, 50u);
  EXPECT_EQ(memory().stopped, 0u);
}

TEST_F(Learned, AHangOnThe30thRunIsTakenOverWithinThreeTimesTheLongest) {
  for (int i = 0; i < 29; ++i) run(100 + i % 5);
  hang();
  ahead += 105 * kSecond;
  EXPECT_FALSE(takes_over()) << "it has not yet taken longer than others";
  ahead += (3 * 104 - 105) * kSecond;
  EXPECT_TRUE(takes_over());
  EXPECT_EQ(memory().stopped, 1u);
  EXPECT_EQ(memory().completed, 30u) << "29, and the one that took over";
}

TEST_F(Learned, KilledWronglyThreeTimesInARowItCompletesTheFourth) {
  for (int i = 0; i < 29; ++i) run(100);
  const double length = 90 * 1000;  // it has become nine hundred times as long
  unsigned kills = 0;
  hang();
  for (; limit().ns < length * 1e9; ++kills) {
    ahead += limit().ns + kSecond;
    hang();  // it stops the one before
  }
  EXPECT_GE(kills, 1u);
  EXPECT_LE(kills, 3u);
  EXPECT_EQ(kill(hung_, SIGTERM), 0);
  gone();
  EXPECT_EQ(run(length), "busy") << "the next has the time it takes";
  EXPECT_EQ(memory().stopped, kills);
  EXPECT_EQ(memory().completed, 30u);
}

}  // namespace
}  // namespace atmost
