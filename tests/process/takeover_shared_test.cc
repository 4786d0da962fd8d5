// Ordinary holders of a lock that everybody may write: their own user and root take over from them
// as ever.
#include <sys/stat.h>
#include <unistd.h>

#include <tuple>

#include "takeover_kit.h"

namespace witness {
namespace {

enum class Keeper { supervised, exec, close, exectimes, hold, orphaned };
enum class User { root, other };
struct Pair {
  User holder;
  User taker;
  const char* name;
};
constexpr Pair kPairs[] = {{User::root, User::root, "OfRootByRoot"},
                           {User::other, User::root, "OfAnotherByRoot"},
                           {User::other, User::other, "OfAnotherByHimself"}};

constexpr const char* kKeepers[] = {"Supervised", "Exec", "ExecUntilClose",
                                    "Exectimes",  "Hold", "Orphaned"};

class Shared : public Takeover, public ::testing::WithParamInterface<std::tuple<Keeper, Pair>> {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    ASSERT_EQ(chmod(directory_.path().c_str(), 01777), 0);
    ASSERT_EQ(chmod(lock_.c_str(), 0666), 0);
  }
  Keeper keeper() const { return std::get<0>(GetParam()); }
  static Argv as(User user) {
    if (user == User::root) return {};
    return {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  }
  Argv keeping() const {
    switch (keeper()) {
      case Keeper::exec:
        return run({"--no-history", "--exec"});
      case Keeper::close:
        return run({"--no-history", "--exec", "--until=close"});
      case Keeper::exectimes:
        return {under_test("exectimes"), lock_, "1"};
      case Keeper::hold:
        return {"/bin/sh",
                "-c",
                "\"$1\" hold --no-history --for-pid $$ \"$2\" && shift 2 && exec \"$@\"",
                "-",
                under_test("atmost"),
                lock_};
      default:
        return run({"--no-history"});
    }
  }
};

TEST_P(Shared, IsTakenOver) {
  const auto [holder, taker, name] = std::get<1>(GetParam());
  const Keeper kind = keeper();
  const pid_t owner = world_.start(join(as(holder), child(keeping(), {mark("holder"), "pause"})));
  const pid_t command = marked("holder")[0];
  ASSERT_TRUE(probe_.slot_held(1));
  if (kind == Keeper::orphaned) {
    ASSERT_TRUE(world_.signal_descendant(owner, SIGKILL, true));
  }
  const Argv taking = join(run({"--no-history", "--expire-after", "0"}), {"/bin/true"});
  Answer taken = ask(join(as(taker), taking), kLong);
  // A keeper locks its proof byte just after hold has returned.
  if (kind == Keeper::hold) {
    eventually(kLong, [&] {
      if (taken.end == "exit 77") taken = ask(join(as(taker), taking), kLong);
      return taken.end != "exit 77";
    });
  }
  // Root's helpers start in many a strange environment: it proves nothing of its processes.
  if (kind == Keeper::orphaned && holder == User::root) {
    EXPECT_EQ(taken.end, "exit 77") << taken.errors;
    EXPECT_NE(taken.errors.find("process " + std::to_string(command)), std::string::npos)
        << taken.errors;
    EXPECT_TRUE(alive(command));
    return;
  }
  EXPECT_EQ(taken.end, "exit 0") << taken.errors;
  EXPECT_TRUE(kind == Keeper::hold || eventually(kLong, [&] { return !alive(command); }));
}

INSTANTIATE_TEST_SUITE_P(All, Shared,
                         ::testing::Combine(::testing::Values(Keeper::supervised, Keeper::exec,
                                                              Keeper::close, Keeper::exectimes,
                                                              Keeper::hold, Keeper::orphaned),
                                            ::testing::ValuesIn(kPairs)),
                         [](const auto& tested) {
                           return std::string(
                                      kKeepers[static_cast<int>(std::get<0>(tested.param))]) +
                                  std::get<1>(tested.param).name;
                         });

}  // namespace
}  // namespace witness
