// The fate of running and waiting commands when etcd, the way to it, or their own supervisor is
// lost.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "etcd/kit/cluster.h"
#include "fleet/job.h"
#include "process/temp_dir.h"
#include "store/etcd/wire.h"

namespace etcd_kit {
namespace {

using namespace fleet_kit;

class Fleet : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return directory_.file(name); }

  // A command that ends of itself for no signal, with a child, and a child that has left its
  // session.
  std::string stubborn() const {
    return "trap '' INT TERM HUP; (trap '' INT TERM; sleep 101) & setsid sh -c 'trap \"\" INT "
           "TERM; echo $$ "
           ">>" +
           file("tree") + "; sleep 102' & echo $$ $! >>" + file("tree") + "; sleep 0.2; echo up >" +
           file("up") + "; sleep 103";
  }
  std::vector<pid_t> tree() const {
    std::istringstream all(contents(file("tree")));
    std::vector<pid_t> pids;
    for (pid_t pid; all >> pid;) pids.push_back(pid);
    return pids;
  }
  static bool any_alive(const std::vector<pid_t>& pids) {
    for (pid_t pid : pids) {
      if (alive(pid)) return true;
    }
    return false;
  }

  bool any_waits() const { return cluster_.waiting("/t/lock") > 0; }

  Cluster cluster_;
  witness::TempDir directory_;
};

TEST_F(Fleet, TheWholeTreeIsDeadBeforeTheLeaseEnds) {
  Job job(run_line(cluster_.url("/t"), {"--ttl", "6s", "--kill-grace", "1s"}, stubborn()));
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  const std::vector<pid_t> pids = tree();
  ASSERT_EQ(pids.size(), 3u);
  const double lost = seconds_now();
  for (unsigned i = 0; i < 3; ++i) cluster_.signal(i, SIGSTOP);
  while (any_alive(pids) && seconds_now() < lost + 10)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  // No renewal was sent after that moment, so the lease ends 6 s after it at the latest.
  EXPECT_LT(seconds_now() - lost, 6.0);
  EXPECT_EQ(job.wait(30), 79);
  for (unsigned i = 0; i < 3; ++i) cluster_.signal(i, SIGCONT);
}

TEST_F(Fleet, ALeaseThatSomebodyEndsIsNoticedAtOnce) {
  Job job(run_line(cluster_.url("/t"), {}, stubborn()));
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  const std::vector<pid_t> pids = tree();
  // Of the holder's key, /t/lock.lock/a/h/000001: other leases may be those of earlier tests.
  const std::string held =
      cluster_.fetch(0, "/v3/kv/range", "{\"key\":\"L3QvbG9jay5sb2NrL2EvaC8wMDAwMDE=\"}");
  const std::size_t at = held.find("\"lease\":\"");
  ASSERT_NE(at, std::string::npos) << held;
  const std::string id = held.substr(at + 9, held.find('"', at + 9) - at - 9);
  const double lost = seconds_now();
  cluster_.fetch(0, "/v3/lease/revoke", ("{\"ID\":\"" + id + "\"}").c_str());
  EXPECT_EQ(job.wait(30), 79);
  EXPECT_LT(seconds_now() - lost, within(2.0));
  EXPECT_FALSE(any_alive(pids));
}

// The lease lives on, and the slot is free for the next one nevertheless.
TEST_F(Fleet, AHolderWhoseKeyIsDeletedStops) {
  Job job(run_line(cluster_.url("/t"), {"--kill-grace", "100ms"}, stubborn()));
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  const std::vector<pid_t> pids = tree();
  const double lost = seconds_now();
  // /t/lock.lock/a/h/000001
  cluster_.fetch(0, "/v3/kv/deleterange", "{\"key\":\"L3QvbG9jay5sb2NrL2EvaC8wMDAwMDE=\"}");
  EXPECT_EQ(job.wait(30), 79);
  EXPECT_LT(seconds_now() - lost, within(3.0));
  EXPECT_FALSE(any_alive(pids));
}

// The monitor above the supervisor does it, and reports it.
TEST_F(Fleet, ASupervisorThatIsKilledLeavesNothingBehind) {
  const std::string run = atmost_program() + " run --store " + cluster_.url("/t") +
                          " lock sh -c 'echo $PPID >" + file("supervisor") + "; " + "exec sh " +
                          file("stubborn") + "' 2>" + file("said");
  std::ofstream(file("stubborn")) << stubborn();
  Job job({"sh", "-c", "exec " + run});
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  const std::vector<pid_t> pids = tree();
  ASSERT_EQ(pids.size(), 3u);
  kill(static_cast<pid_t>(std::stol(contents(file("supervisor")))), SIGKILL);
  EXPECT_EQ(job.wait(30), 128 + SIGKILL);
  EXPECT_FALSE(any_alive(pids));
  EXPECT_NE(contents(file("said")).find("the supervisor was killed"), std::string::npos)
      << contents(file("said"));
}

TEST_F(Fleet, AMonitorThatIsKilledHasItsCommandStopped) {
  Job job(run_line(cluster_.url("/t"), {"--kill-grace", "100ms"}, stubborn()));
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  const std::vector<pid_t> pids = tree();
  ASSERT_EQ(pids.size(), 3u);
  kill(job.pid(), SIGKILL);
  const double end = seconds_now() + 5;
  while (any_alive(pids) && seconds_now() < end) std::this_thread::yield();
  EXPECT_FALSE(any_alive(pids));
  // A slot whose run ended in good order is free at once, not when its lease ends.
  Job next(run_line(cluster_.url("/t"), {"-w", "5s"}, "test -z \"$ATMOST_MONITOR\""));
  EXPECT_EQ(next.wait(30), 0);
}

TEST_F(Fleet, AWaiterWhoseMonitorIsKilledLeavesTheQueue) {
  Job holder(run_line(cluster_.url("/t"), {}, "echo up >" + file("up") + "; sleep 30"));
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  Job waiter(run_line(cluster_.url("/t"), {"-w", "inf"}, "true"));
  const double patience = seconds_now() + 10;
  while (!any_waits()) ASSERT_LT(seconds_now(), patience);
  kill(waiter.pid(), SIGKILL);
  const double end = seconds_now() + 5;
  while (any_waits() && seconds_now() < end) std::this_thread::yield();
  EXPECT_FALSE(any_waits());
}

TEST_F(Fleet, AdmissionsResumeAfterTheLeaderDied) {
  const std::string log = file("log");
  const std::string script = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do " +
                             atmost_program() + " run --no-history --ttl 15s -w inf --store " +
                             cluster_.url("/t") + " lock sh -c 'date +%s.%N >>" + log +
                             "; sleep 0.1'; done";
  std::vector<Job> jobs;
  for (int i = 0; i < 3; ++i) jobs.emplace_back(Argv{"sh", "-c", script});
  await_contents(log, 10);
  const int leader = cluster_.leader();
  ASSERT_GE(leader, 0);
  cluster_.kill(static_cast<unsigned>(leader));
  for (Job& job : jobs) EXPECT_EQ(job.wait(40), 0);
  std::istringstream all(contents(log));
  double before = 0, longest = 0;
  int count = 0;
  for (double moment; all >> moment; ++count) {
    if (before > 0 && moment - before > longest) longest = moment - before;
    before = moment;
  }
  EXPECT_EQ(count, 45);
  EXPECT_LT(longest, within(5.0));
  std::printf("longest pause between admissions: %.2f s\n", longest);
}

TEST_F(Fleet, AStoppedHolderLosesItsLockInTime) {
  Job job(run_line(cluster_.url("/t"), {"--ttl", "6s", "--kill-grace", "1s"},
                   "echo $PPID $$ >" + file("tree") + "; exec sleep 105"));
  await_contents(file("tree"), 10);
  const std::vector<pid_t> pids = tree();
  ASSERT_EQ(pids.size(), 2u);
  kill(pids[0], SIGSTOP);
  const double stopped = seconds_now();
  Job taker(run_line(cluster_.url("/t"), {"--on-busy=replace", "--ttl", "6s", "--kill-grace", "1s"},
                     "test -e /proc/" + std::to_string(pids[1]) + " && exit 9; exit 8"));
  EXPECT_EQ(taker.wait(30), 8) << "9: the old command was still there";
  std::printf("taken over after %.2f s\n", seconds_now() - stopped);
  EXPECT_EQ(job.wait(30), 79);
}

TEST_F(Fleet, IntervalsAreNeverShort) {
  const std::string log = file("log");
  std::vector<Job> jobs;
  for (int i = 0; i < 4; ++i) {
    jobs.emplace_back(run_line(cluster_.url("/t"),
                               {"--if-elapsed", "2s", "--on-too-soon=wait", "-w", "inf"},
                               "cut -d' ' -f1 /proc/uptime >>" + log));
  }
  Job impatient(run_line(cluster_.url("/other"), {"--if-elapsed", "1h"}, "true"));
  EXPECT_EQ(impatient.wait(30), 0);
  Job again(run_line(cluster_.url("/other"), {"--if-elapsed", "1h"}, "true"));
  EXPECT_EQ(again.wait(30), 76);
  Job skips(
      run_line(cluster_.url("/other"), {"--if-elapsed", "1h", "--on-too-soon=skip"}, "exit 9"));
  EXPECT_EQ(skips.wait(30), 0);
  Job once(run_line(cluster_.url("/other"), {"--if-elapsed", "inf"}, "true"));
  EXPECT_EQ(once.wait(30), 76);
  for (Job& job : jobs) EXPECT_EQ(job.wait(40), 0);
  std::istringstream all(contents(log));
  double before = -10;
  int count = 0;
  for (double moment; all >> moment; ++count) {
    EXPECT_GE(moment - before, 1.98);  // in steps of 10 ms
    before = moment;
  }
  EXPECT_EQ(count, 4);
}

TEST_F(Fleet, DoctorAndKill) {
  Job well({atmost_program(), "doctor", cluster_.url("/t")});
  EXPECT_EQ(well.wait(30), Cluster::keeps_leases() ? 0 : 69);
  Job holder(run_line(cluster_.url("/t"), {}, "echo up >" + file("up") + "; exec sleep 30"));
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  Job check({atmost_program(), "check", "-n", "1", "--store", cluster_.url("/t"), "lock"});
  EXPECT_EQ(check.wait(30), 75);
  Job listed({"sh", "-c",
              atmost_program() + " list --json --store " + cluster_.url("/t") +
                  " | grep -q '\"lock\":\"lock\",\"slot\":1'"});
  EXPECT_EQ(listed.wait(30), 0);
  Job kills({atmost_program(), "kill", "--store", cluster_.url("/t"), "lock"});
  EXPECT_EQ(kills.wait(30), 0);
  EXPECT_EQ(holder.wait(30), 79);
  cluster_.kill(0);
  cluster_.kill(1);
  Job ill({atmost_program(), "doctor", cluster_.url("/t")});
  EXPECT_EQ(ill.wait(30), 69);
}

// A key that somebody else wrote below a lock grants nothing, and is named to everybody who comes
// upon it.
TEST_F(Fleet, AKeyThatIsNotOursIsNamed) {
  const std::string store = " --store " + cluster_.url("/t") + " alien ";
  const auto etcdctl = [this](const std::string& words) {
    return shell(cluster_.etcdctl(0) + " " + words).code;
  };
  const auto expect_named = [&](const std::string& subcommand, const std::string& key,
                                const std::string& command) {
    const Said said = shell(atmost_program() + " " + subcommand + store + command);
    EXPECT_EQ(said.code, 69) << subcommand << ": " << said.words;
    const std::string words =
        "atmost: etcd: the key " + key +
        " is not as this version of atmost writes it: if callers of another version use the lock, "
        "give all hosts one version; else look at it (etcdctl get), and delete it if nobody needs "
        "it\n";
    EXPECT_EQ(said.words.substr(0, words.size()), words);  // a list has its heading below it
  };
  for (const char* key : {"a/state", "a/h/none", "a/t/1", "w/x/stranger", "w/p000001/1", "a/last",
                          "a/finish", "a/success", "a/cool/start", "a/rate"}) {
    const std::string whole = std::string("/t/alien.lock/") + key;
    ASSERT_EQ(etcdctl("put " + whole + " '{bad'"), 0);
    expect_named("run", whole, "sh -c 'echo ran >>" + file("ran") + "'");
    expect_named("check", whole, "");
    expect_named("list", whole, "");
    if (key == std::string("a/state")) expect_named("drain", whole, "");
    EXPECT_EQ(contents(file("ran")), "");
    ASSERT_EQ(etcdctl("del " + whole), 0);
  }
  EXPECT_EQ(shell(atmost_program() + " run" + store + "true").code, 0);
}

// A name that atmost does not know stands for nothing.
TEST_F(Fleet, AKeyWithAnotherNameChangesNothing) {
  const std::string store = " --store " + cluster_.url("/t") + " alien ";
  for (const char* key : {"a/junk", "a/cool/zz", "w/zz", "w/zz/1", "w/p1/1", "zz"}) {
    ASSERT_EQ(shell(cluster_.etcdctl(0) + " put /t/alien.lock/" + key + " '{bad'").code, 0);
    for (const char* wait : {" -w 0", " -w 5s"})
      EXPECT_EQ(shell(atmost_program() + " run" + wait + store + "true").code, 0) << key;
    const Said said = shell(atmost_program() + " list --json --store " + cluster_.url("/t"));
    EXPECT_EQ(said.code, 0) << said.words;
    EXPECT_EQ(said.words.find("zz"), std::string::npos) << said.words;
  }
}

// Not of the other locks alone, but of the one that it lies in as well.
TEST_F(Fleet, AListShowsTheRestAndNamesWhatIsNotOurs) {
  Job holder(run_line(cluster_.url("/t"), {}, "echo up >" + file("up") + "; sleep 30"));
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  Job waiter(run_line(cluster_.url("/t"), {"-w", "inf"}, "true"));
  ASSERT_TRUE(eventually(10, [this] { return any_waits(); }));
  // The waiter reads its queue when there is a reason to, and the rest at once: then it gets the
  // answer, and gives up.
  for (const char* key : {"w/x/stranger", "a/h/none", "a/state"}) {
    const std::string whole = std::string("/t/lock.lock/") + key;
    const std::string etcdctl = cluster_.etcdctl(0);
    ASSERT_EQ(shell(etcdctl + " put " + whole + " ours").code, 0);
    const Said said = shell(atmost_program() + " list --json --store " + cluster_.url("/t"));
    EXPECT_EQ(said.code, 69);
    EXPECT_NE(said.words.find("the key " + whole + " is not"), std::string::npos) << said.words;
    EXPECT_NE(said.words.find("\"state\":\"held\""), std::string::npos) << said.words;
    const bool waits = said.words.find("\"state\":\"waiting\"") != std::string::npos;
    EXPECT_TRUE(waits || *key != 'w') << said.words;
    ASSERT_EQ(shell(etcdctl + " del " + whole).code, 0);
  }
}

// The keys that a lock leaves behind go in time, except those that were ordered to stay.
TEST_F(Fleet, UsedLocksAreForgottenByEtcd) {
  const std::string run =
      atmost_program() + " run --no-history -q --store " + cluster_.url("/t") + " ";
  const auto ask = [this](const std::string& path, const std::string& body) {
    return cluster_.fetch(0, path, body.c_str());
  };
  const auto keys = [&](const std::string& below) {
    using namespace atmost::etcd;
    return ask("/v3/kv/range", "{\"key\":\"" + base64(below) + "\",\"range_end\":\"" +
                                   base64(end_of_prefix(below)) + "\"}");
  };
  const auto expect_keys = [&](const std::string& lock, const char* count) {
    const std::string answer = keys("/t/" + lock + ".lock/");
    const std::string found = std::string("\"count\":\"") + count + "\"";
    EXPECT_EQ(answer.find(*count == '0' ? "\"count\"" : found) == std::string::npos, *count == '0')
        << lock << ": " << answer;
  };
  const std::string token = "sh -c 'echo $ATMOST_TOKEN >>" + file("tokens") + "'";
  ASSERT_EQ(shell(run + "used -- " + token).code, 0);
  ASSERT_EQ(shell(run + "--if-elapsed 1h --elapsed-from success spaced -- true").code, 0);
  ASSERT_EQ(shell(run + "--if-elapsed inf once -- true").code, 0);
  ASSERT_EQ(shell(run + "--if-elapsed inf --elapsed-from success good -- true").code, 0);
  ASSERT_EQ(
      shell(atmost_program() + " drain --create --store " + cluster_.url("/t") + " closed").code,
      0);
  // The action of etcd within a day: it ends the leases of which nobody renews one.
  const std::string all = ask("/v3/lease/leases", "{}");
  std::size_t days = 0;
  for (std::size_t at = 0; (at = all.find("\"ID\":\"", at)) != std::string::npos; at += 6) {
    const std::string id = all.substr(at + 6, all.find('"', at + 6) - at - 6);
    const std::string told = ask("/v3/lease/timetolive", "{\"ID\":\"" + id + "\"}");
    if (told.find("\"grantedTTL\":\"87000\"") == std::string::npos) continue;
    ++days;
    ask("/v3/lease/revoke", "{\"ID\":\"" + id + "\"}");
  }
  EXPECT_GE(days, 1u);
  expect_keys("used", "0");
  expect_keys("spaced", "1");
  expect_keys("once", "1");
  expect_keys("good", "1");
  expect_keys("closed", "1");
  EXPECT_EQ(shell(run + "--if-elapsed 1h --elapsed-from success spaced -- true").code, 76);
  EXPECT_EQ(shell(run + "--if-elapsed inf once -- true").code, 76);
  EXPECT_EQ(shell(run + "--if-elapsed inf --elapsed-from success good -- true").code, 76);
  EXPECT_EQ(shell(run + "closed -- true").code, 75);
  ASSERT_EQ(shell(run + "used -- " + token).code, 0);
  std::istringstream tokens(contents(file("tokens")));
  std::uint64_t first = 0, second = 0;
  ASSERT_TRUE(tokens >> first >> second);
  EXPECT_GT(second, first);
  ASSERT_EQ(shell(atmost_program() + " forget --store " + cluster_.url("/t") + " once").code, 0);
  EXPECT_EQ(shell(run + "--if-elapsed inf once -- true").code, 0);
}

TEST_F(Fleet, AWaiterThatIsToldToEndLeavesTheQueue) {
  Job holder(run_line(cluster_.url("/t"), {}, "echo up >" + file("up") + "; sleep 30"));
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) {
    Job waiter(run_line(cluster_.url("/t"), {"-w", "inf"}, "true"));
    const double patience = seconds_now() + 10;
    while (!any_waits()) ASSERT_LT(seconds_now(), patience);
    kill(waiter.pid(), signal);
    EXPECT_EQ(waiter.wait(30), 128 + signal);
    EXPECT_FALSE(any_waits());
  }
}

}  // namespace
}  // namespace etcd_kit
