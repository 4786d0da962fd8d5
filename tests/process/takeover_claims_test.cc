// The next holder of the slot, the holders that are spared, and the messages.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/local/hints.h"
#include "takeover_kit.h"

namespace witness {
namespace {

class TakeoverClaims : public Takeover {
 protected:
  Argv stubborn(const Argv& options = {}, const std::string& name = "holder") const {
    return child(run(options), {hear("heard " + name), mark(name), "pause"});
  }
};

// A holder that obeys INT never sees TERM, and the grace is not waited for.
TEST_F(TakeoverClaims, EndsWithTheFirstSignalThatWorks) {
  world_.start(child(run({}), {hear("heard"), "default=2", mark("holder"), "pause"}));
  const std::vector<pid_t> holder = marked("holder");
  const Answer taken = take({"--expire-after", "0", "--kill-grace", "1m"});
  EXPECT_EQ(taken.end, "exit 0") << taken.errors;
  EXPECT_TRUE(gone(holder));
  EXPECT_EQ(heard("heard"), "");
  EXPECT_EQ(events("\"signal\":\"INT\",\"worked\":true"), 1u) << history();
  EXPECT_EQ(events("\"event\":\"lost\""), 1u) << history();
  EXPECT_EQ(events("TERM"), 0u) << history();
}

TEST_F(TakeoverClaims, EachSignalIsTold) {
  world_.start(stubborn());
  marked("holder");
  const Answer taken = take({"-v", "--expire-after", "0"});
  EXPECT_EQ(taken.end, "exit 0");
  const auto interrupt = taken.errors.find("SIGINT");
  const auto terminate = taken.errors.find("SIGTERM");
  const auto kill = taken.errors.find("SIGKILL");
  EXPECT_TRUE(interrupt < terminate && terminate < kill && kill != std::string::npos)
      << taken.errors;
  const auto end = taken.errors.find("it ended by SIGKILL", kill);
  EXPECT_NE(end, std::string::npos) << taken.errors;
  EXPECT_EQ(taken.errors.find("SIGKILL", kill + 1), taken.errors.find("SIGKILL", end))
      << taken.errors;
}

TEST_F(TakeoverClaims, GoesToTheHeadOfTheQueue) {
  world_.start(stubborn());
  const std::vector<pid_t> holder = marked("holder");
  const std::string now = std::to_string(time(nullptr) + 3600);
  const Tag waiter = queue(run({"-w", "inf", "--now", now}));
  const Answer taker = take({"--expire-after", "1m", "--now", now});
  EXPECT_EQ(taker.end, "exit 75") << taker.errors;
  EXPECT_TRUE(comes_inside(waiter));
  EXPECT_TRUE(gone(holder));
}

TEST_F(TakeoverClaims, OfTwoTakersOneGetsIt) {
  world_.start(stubborn());
  const std::vector<pid_t> holder = marked("holder");
  const Argv later = join({"--kill-grace", "200ms"}, an_hour_later());
  const pid_t one = world_.start(child(run(later), {mark("taker"), "pause"}));
  const pid_t two = world_.start(child(run(later), {mark("taker"), "pause"}));
  ASSERT_TRUE(eventually(kLong, [&] { return world_.ended(one) || world_.ended(two); }));
  const pid_t loser = world_.ended(one) ? one : two;
  EXPECT_EQ(words(*world_.wait(loser)), "exit 75");
  const std::vector<pid_t> taker = marked("taker");
  EXPECT_TRUE(gone(holder));
  EXPECT_TRUE(alive(taker[0]));
  EXPECT_EQ(lines("taker").size(), 1u);
  EXPECT_EQ(heard("heard holder"), "02 15");  // from one of them
}

// A taker that waits gets it when the other is done.
TEST_F(TakeoverClaims, TheOtherTakerMayWait) {
  world_.start(stubborn());
  marked("holder");
  const Argv later = join({"--kill-grace", "200ms", "-w", "30"}, an_hour_later());
  const pid_t one = world_.start(join(run(later), {"/bin/true"}));
  const pid_t two = world_.start(join(run(later), {"/bin/true"}));
  EXPECT_EQ(words(world_.wait(one, kLong).value_or(-1)), "exit 0");
  EXPECT_EQ(words(world_.wait(two, kLong).value_or(-1)), "exit 0");
}

TEST_F(TakeoverClaims, NobodyIsStoppedWhoIsNotOverdue) {
  world_.start(stubborn());
  const std::vector<pid_t> holder = marked("holder");
  EXPECT_EQ(take({"--expire-after", "1h"}).end, "exit 75");
  EXPECT_TRUE(alive(holder[0]));
  EXPECT_EQ(heard("heard holder"), "");
}

// A record with any content and of any boot: no process has held a slot for longer than it lives.
TEST_F(TakeoverClaims, ARecordMakesNobodyOlderThanHisProcess) {
  world_.start(stubborn());
  const std::vector<pid_t> holder = marked("holder");
  const int fd = open(lock_.c_str(), O_RDWR | O_CLOEXEC);
  atmost::local::Record record;
  for (const bool other_boot : {true, false}) {
    ASSERT_TRUE(atmost::local::read_record(fd, 1, record));
    record.start_real_ns = record.start_boot_ns = 1;
    record.boot ^= other_boot ? 1U : 0U;
    ASSERT_EQ(atmost::local::write_record(fd, record), 0);
    const Answer answer = take({"--expire-after", "1m"});
    EXPECT_EQ(answer.end, "exit 75") << answer.errors;
    EXPECT_TRUE(alive(holder[0]));
    EXPECT_EQ(heard("heard holder"), "");
  }
  close(fd);
}

// A foreign holder has no record: its process's own age counts, by whatever clock the taker goes.
TEST_F(TakeoverClaims, AForeignHolderIsAsOldAsItsProcess) {
  world_.start(child(stranger(1), {hear("heard"), mark("holder"), "pause"}));
  const std::vector<pid_t> holder = marked("holder");
  const std::string now = std::to_string(time(nullptr));
  EXPECT_EQ(take({"--expire-after", "1h"}).end, "exit 75");
  EXPECT_EQ(take({"--expire-after", "1h", "--now", now}).end, "exit 75");
  EXPECT_TRUE(alive(holder[0]));
  EXPECT_EQ(heard("heard"), "");
  EXPECT_EQ(take(an_hour_later()).end, "exit 0");
  EXPECT_TRUE(gone(holder));
}

TEST_F(TakeoverClaims, NeverAnAncestor) {
  const Argv taking = join(run({"--expire-after", "0", "--kill-grace", "100ms"}), {"/bin/true"});
  const Answer nested = ask(join(run({}), taking));
  EXPECT_EQ(nested.end, "exit 75") << nested.errors;
  const Answer unaware = ask(join(join(run({}), {"/usr/bin/env", "-u", "ATMOST_HELD"}), taking));
  EXPECT_EQ(unaware.end, "exit 77");
  EXPECT_NE(unaware.errors.find("ancestor"), std::string::npos) << unaware.errors;
  const Answer exec = ask(join(join(run({"--exec"}), {"/usr/bin/env", "-u", "ATMOST_HELD",
                                                      "/bin/sh", "-c", "\"$@\"; exit $?", "-"}),
                               taking));
  EXPECT_EQ(exec.end, "exit 77") << exec.errors;
  EXPECT_EQ(events("signalled"), 0u) << history();
}

// The supervisor is dead; the taker itself has inherited the lock, and with it a sibling.
TEST_F(TakeoverClaims, NeverWithALockThatItInheritedItself) {
  const std::string script =
      "exec 3<>$1; " + helper("run_child") + " " + hear("heard") + " " + mark("sibling") +
      " pause & read go <&3; shift; env -u ATMOST_HELD \"$@\"; echo $? >$OUT";
  ASSERT_EQ(mkfifo(file("fifo").c_str(), 0600), 0);
  setenv("OUT", file("end").c_str(), 1);
  const Argv taking = join(run({"--expire-after", "0", "--kill-grace", "100ms"}), {"/bin/true"});
  const pid_t owner =
      world_.start(join(run({}), join({"/bin/sh", "-c", script, "-", file("fifo")}, taking)));
  const std::vector<pid_t> sibling = marked("sibling");
  ASSERT_TRUE(world_.signal_descendant(owner, SIGKILL, true));
  const std::string go = "echo go >" + file("fifo");
  ask({"/bin/sh", "-c", go});
  EXPECT_TRUE(eventually(kLong, [&] { return read_file(file("end")) == "77\n"; }))
      << read_file(file("end"));
  EXPECT_TRUE(alive(sibling[0]));
  EXPECT_EQ(heard("heard"), "");
}

TEST_F(TakeoverClaims, ReplaceStopsTheOldest) {
  world_.start(stubborn({"-n", "2"}, "old"));
  const std::vector<pid_t> old = marked("old");
  world_.start(stubborn({"-n", "2"}, "young"));
  const std::vector<pid_t> young = marked("young");
  EXPECT_EQ(take({"-n", "2", "--on-busy=replace"}).end, "exit 0");
  EXPECT_TRUE(gone(old));
  EXPECT_TRUE(alive(young[0]));
  EXPECT_EQ(heard("heard young"), "");
}

TEST_F(TakeoverClaims, ExpireAfterZeroStopsEverybody) {
  for (const char* name : {"a", "b", "c"}) world_.start(stubborn({"-n", "3"}, name));
  const std::vector<pid_t> all = {marked("a")[0], marked("b")[0], marked("c")[0]};
  const Answer taken = take({"-n", "3", "--expire-after", "0"});
  EXPECT_EQ(taken.end, "exit 0") << taken.errors;
  EXPECT_TRUE(gone(all));
  EXPECT_EQ(events("\"event\":\"expired\""), 3u);
}

TEST_F(TakeoverClaims, AHolderOfSeveralSlotsHearsEachSignalOnce) {
  world_.start(stubborn({"-n", "3", "-k", "3"}));
  const std::vector<pid_t> holder = marked("holder");
  EXPECT_EQ(take({"-n", "3", "-k", "3", "--expire-after", "0"}).end, "exit 0");
  EXPECT_TRUE(gone(holder));
  EXPECT_EQ(heard("heard holder"), "02 15");
  EXPECT_EQ(events("signalled"), 3u) << history();
}

class AtmostKill : public TakeoverClaims {
 protected:
  Answer kill(const Argv& options) {
    return ask(
        join(join({under_test("atmost"), "kill", "--kill-grace", "100ms"}, options), {lock_}),
        kLong);
  }
};

TEST_F(AtmostKill, OneSlot) {
  world_.start(stubborn({"-n", "2"}, "first"));
  const std::vector<pid_t> first = marked("first");
  world_.start(stubborn({"-n", "2"}, "second"));
  const std::vector<pid_t> second = marked("second");

  const Answer dry = kill({"--dry-run", "--slot", "2"});
  EXPECT_EQ(dry.end, "exit 0");
  EXPECT_NE(dry.errors.find("slot 2"), std::string::npos) << dry.errors;
  EXPECT_EQ(dry.errors.find("slot 1"), std::string::npos) << dry.errors;
  EXPECT_TRUE(alive(first[0]) && alive(second[0]));
  EXPECT_EQ(heard("heard second"), "");

  EXPECT_EQ(kill({"--slot", "2"}).end, "exit 0");
  EXPECT_TRUE(alive(first[0]));
  EXPECT_TRUE(gone(second));
  EXPECT_EQ(heard("heard first"), "");
  EXPECT_EQ(events("signalled"), 3u) << history();
  EXPECT_EQ(kill({}).end, "exit 0");
  EXPECT_TRUE(gone(first));
  EXPECT_FALSE(probe_.slot_held(1));
}

TEST_F(AtmostKill, TheOverdueByTheirOwnLimit) {
  world_.start(stubborn({"-n", "3", "--expire-after", "1ms"}, "overdue"));
  const std::vector<pid_t> overdue = marked("overdue");
  world_.start(stubborn({"-n", "3", "--expire-after", "1h"}, "young"));
  world_.start(stubborn({"-n", "3"}, "unlimited"));
  const std::vector<pid_t> others = {marked("young")[0], marked("unlimited")[0]};
  // The second and third did not stop the first: there was room.
  EXPECT_EQ(kill({"--overdue"}).end, "exit 0");
  EXPECT_TRUE(gone(overdue));
  EXPECT_TRUE(alive(others[0]) && alive(others[1]));
}

TEST_F(AtmostKill, NobodyThereIsNoMistake) {
  EXPECT_EQ(kill({}).end, "exit 0");
  EXPECT_EQ(kill({"--overdue"}).end, "exit 0");
}

// Looking stops nobody.
TEST_F(TakeoverClaims, ADryRunOfAPassStopsNobody) {
  const std::string locks = file("locks");
  ASSERT_EQ(mkdir(locks.c_str(), 0700), 0);
  const Argv holding = {under_test("atmost"), "run", "--dir", locks, "job:it", "--"};
  world_.start(child(holding, {hear("heard"), mark("holder"), "pause"}));
  const std::vector<pid_t> holder = marked("holder");
  const std::string text =
      "[[atom]]\noperator='job'\noperand='it'\ncommand=['true']\nexpire_after='0'\n";
  ASSERT_EQ(ask({"/bin/sh", "-c", "printf %s \"$1\" >\"$2\"", "-", text, file("pass")}).end,
            "exit 0");
  const Answer dry = ask({under_test("atmost"), "pass", "--dry-run", "--dir", locks, file("pass")});
  EXPECT_EQ(dry.end, "exit 0") << dry.errors;
  EXPECT_TRUE(alive(holder[0]));
  EXPECT_EQ(heard("heard"), "");
}

}  // namespace
}  // namespace witness
