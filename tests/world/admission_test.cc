// Callers that take the same lock: the same world, whichever way its processes are made, drawn or
// replayed.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/limiter.h"
#include "limiter/admission.h"
#include "os/clock.h"
#include "policy/decide.h"
#include "store/local/session.h"
#include "store/local/store.h"
#include "world/kernel.h"

namespace world {
namespace {

class TakesALock final : public Program {
 public:
  void run(Process& self) override {
    auto* const request =
        new (kernel->room(sizeof(atmost::Request), alignof(atmost::Request))) atmost::Request;
    auto* const session =
        new (kernel->room(sizeof(atmost::local::LocalSession), 64)) atmost::local::LocalSession;
    request->locks[0].path = "/w/a.lock";
    request->locks[0].name = "a";
    request->locks[0].max = 1;
    request->wait = atmost::Duration::seconds(600);
    for (++begun_; runs_ < kRuns;) {
      ++runs_;
      if (!session->open(*request).ok()) return kernel->stop("open failed");
      atmost::Lease lease;
      const atmost::local::LocalStore store;
      const atmost::Outcome outcome = atmost::limiter::admit(
          {*request, store.traits(), *session}, atmost::policy::decide, nullptr, lease, {});
      if (outcome.kind != atmost::Outcome::Kind::ran) return kernel->stop("not admitted");
      kernel->trace(self, "is admitted");
      atmost::os::sleep_until(kernel->now_ns() + 5'000'000);
      kernel->trace(self, "releases");
      lease.release(atmost::Ending::success, atmost::os::now());
      session->close();
    }
  }
  bool runs_again(const Process&) override { return runs_ < kRuns; }
  int begun() const { return begun_; }

 private:
  static constexpr int kRuns = 12;
  int runs_ = 0;
  int begun_ = 0;
};

struct Told {
  std::string failed;
  std::string stopped;
  std::string trace;
  std::vector<Event> happened;
  int begun = 0;
};

Told run_world(const Script& script, Backend& backend) {
  const auto observer = std::make_unique<Observer>();
  const auto program = std::make_unique<TakesALock>();
  const auto world = std::make_unique<Kernel>(script, backend, *observer, true);
  world->make_file("/w", 0755, true);
  for (int i = 0; i < 4; ++i) world->add_process(*program);
  Told result;
  result.failed = world->run();
  result.stopped = world->stopped();
  result.trace = world->traced();
  result.happened = world->schedule().happened();
  result.begun = program->begun();
  return result;
}

Script disturbed(std::uint64_t seed) {
  Script script;
  script.seed = seed;
  script.rates.strategy = static_cast<std::int64_t>(seed % 3);
  script.rates.switches = 300'000;
  script.rates.kill = 500;
  script.rates.freeze = 500;
  script.rates.stop = 300;
  script.rates.clock_step = 100;
  script.rates.interrupt = 1'000;
  script.rates.lose_event = 1'000;
  script.rates.choose = 100'000;
  return script;
}

class Admission : public testing::Test {
 protected:
  static void SetUpTestSuite() { install_table(); }
};

TEST_F(Admission, AllAreServed) {
  const auto fibers = make_fibers();
  Script script;
  script.rates.switches = 300'000;
  const Told told = run_world(script, *fibers);
  EXPECT_EQ(told.failed, "");
  EXPECT_EQ(told.stopped, "");
  EXPECT_EQ(told.begun, 4);
}

TEST_F(Admission, BothBackendsMakeTheSameWorld) {
  const auto fibers = make_fibers();
  const auto processes = make_real_processes();
  int begun = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Told one = run_world(disturbed(seed), *fibers);
    const Told other = run_world(disturbed(seed), *processes);
    ASSERT_EQ(one.failed, "") << "seed " << seed;
    ASSERT_EQ(other.failed, "") << "seed " << seed;
    ASSERT_EQ(one.stopped, "") << "seed " << seed << one.trace;
    ASSERT_EQ(one.trace, other.trace) << "seed " << seed;
    ASSERT_EQ(one.happened, other.happened) << "seed " << seed;
    begun += one.begun;
  }
  EXPECT_GT(begun, 4 * 20) << "no process was killed";
}

TEST_F(Admission, AListIsTheSameWorldAgain) {
  const auto fibers = make_fibers();
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Script script = disturbed(seed);
    const Told drawn = run_world(script, *fibers);
    script.listed = true;
    script.events = drawn.happened;
    const Told replayed = run_world(script, *fibers);
    ASSERT_EQ(drawn.trace, replayed.trace) << "seed " << seed;
    ASSERT_EQ(drawn.happened, replayed.happened) << "seed " << seed;
  }
}

class Faulty final : public Program {
 public:
  enum class Fault : std::uint8_t { crash, hang, call };
  explicit Faulty(Fault fault) : fault_(fault) {}
  void run(Process&) override {
    atmost::os::boot_ns();
    volatile int* nowhere = nullptr;
    if (fault_ == Fault::crash) *nowhere = 1;
    if (fault_ == Fault::call) ::getppid();
    for (volatile bool on = fault_ == Fault::hang; on;) continue;
  }
  bool runs_again(const Process&) override { return false; }

 private:
  Fault fault_;
};

std::string run_faulty(Faulty::Fault fault, Backend& backend) {
  const Script script;
  const auto observer = std::make_unique<Observer>();
  const auto program = std::make_unique<Faulty>(fault);
  const auto world = std::make_unique<Kernel>(script, backend, *observer, false);
  world->add_process(*program);
  return world->run();
}

TEST_F(Admission, ACrashIsNamed) {
  for (const auto& backend : {make_fibers(), make_real_processes()}) {
    EXPECT_EQ(run_faulty(Faulty::Fault::crash, *backend),
              "p0 crashed, Segmentation fault behind its call 1, clock_gettime");
  }
}

TEST_F(Admission, AHangIsNamed) {
  EXPECT_EQ(run_faulty(Faulty::Fault::hang, *make_fibers()),
            "p0 hangs behind its call 1, clock_gettime");
}

TEST_F(Admission, ACallPastTheTableIsNamed) {
  EXPECT_EQ(run_faulty(Faulty::Fault::call, *make_real_processes()),
            "p0 made the system call " + std::to_string(SYS_getppid) +
                " behind its call 1, clock_gettime");
}

}  // namespace
}  // namespace world
