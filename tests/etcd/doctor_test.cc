// atmost doctor etcd://...: its findings about a cluster in each state, and its exit codes.
#include <signal.h>

#include <sstream>

#include "secure_kit.h"

namespace etcd_kit {
namespace {

class Doctor : public Secure {
 protected:
  static Said ask(const std::string& url, const std::string& variables = "",
                  const std::string& option = "") {
    return shell("env ATMOST_ETCD_TIMEOUT=2s " + variables + " \"$ATMOST_BIN/atmost\" doctor " +
                 option + " '" + url + "'");
  }
  // Nothing is bad but, perhaps, the version of the etcd that is installed here.
  static void expect_sound(const Said& said) {
    EXPECT_EQ(said.code, Cluster::keeps_leases() ? 0 : 69) << said.words;
    std::istringstream lines(said.words);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_TRUE(!line.starts_with("FAIL") || line.starts_with("FAIL  version")) << said.words;
    }
  }
};

TEST_F(Doctor, SaysWhatIsUp) {
  Cluster cluster(3);
  const std::string url = cluster.url("/t");
  const Said well = ask(url);
  expect_sound(well);
  for (const char* words :
       {"is etcd 3.", ", the leader; answered in ", "their clocks agree with ours",
        "the cluster has 3 members: 1 of them may be down", "warn  tls             without TLS",
        "ok    write           may write below /t: lease ",
        "ok    majority        a majority of the members is up"}) {
    EXPECT_THAT(well.words, HasSubstr(words));
  }
  expect_sound(shell("ATMOST_STORE='" + url + "' \"$ATMOST_BIN/atmost\" doctor"));
  const Said json = ask(url, "", "--json");
  EXPECT_THAT(json.words, HasSubstr("{\"level\":\"ok\",\"check\":\"member\",\"what\":\"http://"));
  const Said one = ask("etcd://" + cluster.host(0) + "/t");
  expect_sound(one);
  EXPECT_THAT(one.words, HasSubstr("the cluster has 3 members, and 1 of them are named here"));

  const unsigned follower = cluster.leader() == 0 ? 1 : 0;
  cluster.kill(follower);
  const Said less = ask(url);
  expect_sound(less);
  EXPECT_THAT(less.words, HasSubstr("warn  member          http://" + cluster.host(follower) +
                                    " does not answer: Connection refused"));
  EXPECT_THAT(less.words, HasSubstr("ok    majority        a majority of the members is up"));

  const unsigned next = follower == 0 ? 1 : 2;
  cluster.signal(next, SIGSTOP);
  const Said lost = ask(url);
  EXPECT_EQ(lost.code, 69) << lost.words;
  EXPECT_THAT(lost.words, HasSubstr("FAIL  majority        locks cannot be kept here: 1 of 3 "
                                    "members answer, and more than half have to"));
  EXPECT_THAT(lost.words, Not(HasSubstr("locks can be kept")));
  EXPECT_LT(lost.seconds, fleet_kit::within(15));
  cluster.signal(next, SIGCONT);

  const Said none = ask("etcd://127.0.0.1:1,127.0.0.1:2/t");
  EXPECT_EQ(none.code, 69);
  EXPECT_THAT(none.words, HasSubstr("FAIL  majority        no member answers"));
}

TEST_F(Doctor, SaysWhatIsNotAllowedAndWhatTheTimeIs) {
  const Cluster cluster(1);
  Relay relay(cluster.host(0));
  relay.shift_dates(-2);
  const Said shifted = ask("etcd://" + relay.host() + "/t");
  expect_sound(shifted);
  EXPECT_THAT(shifted.words, HasSubstr(": its clock is -63"));
  EXPECT_THAT(shifted.words, HasSubstr("the cluster has 1 member: when one of them is down"));

  for (const char* words : {"user add root:word", "user grant-role root root", "role add none",
                            "user add me:word", "user grant-role me none", "auth enable"}) {
    shell("ETCDCTL_API=3 etcdctl --endpoints " + cluster.host(0) + " " + words);
  }
  const Said nobody = ask(cluster.url("/t"));
  EXPECT_EQ(nobody.code, 77) << nobody.words;
  EXPECT_THAT(nobody.words, HasSubstr("FAIL  write           etcd: "));
  const Said refused = ask(cluster.url("/t"), "ATMOST_ETCD_USER=me ATMOST_ETCD_PASSWORD=word");
  EXPECT_EQ(refused.code, 77) << refused.words;
  EXPECT_THAT(refused.words,
              HasSubstr("permission denied (its role needs it: etcdctl role grant-permission ROLE "
                        "--prefix=true readwrite /t/)"));
  const Said root = ask(cluster.url("/t"), "ATMOST_ETCD_USER=root ATMOST_ETCD_PASSWORD=word");
  expect_sound(root);
}

// Before 3.4.31 and 3.5.13 leases may end that are renewed (etcd #15247).
TEST_F(Doctor, JudgesTheVersionOfEachMember) {
  const Cluster cluster(1);
  Relay relay(cluster.host(0));
  relay.pretend_version();
  const Said later = ask("etcd://" + relay.host() + "/t");
  EXPECT_EQ(later.code, 0) << later.words;
  EXPECT_THAT(later.words, HasSubstr("\nyes: locks can be trusted in etcd://" + relay.host()));
  if (Cluster::keeps_leases()) GTEST_SKIP() << "the etcd that is installed here is a good one";
  for (const std::string& url :
       {cluster.url("/t"), "etcd://" + relay.host() + "," + cluster.host(0) + "/t"}) {
    const Said here = ask(url);
    EXPECT_EQ(here.code, 69) << here.words;
    EXPECT_THAT(here.words,
                HasSubstr("FAIL  version         http://" + cluster.host(0) + " is etcd 3."));
    EXPECT_THAT(here.words, HasSubstr("may end leases that are renewed (etcd #15247)"));
    EXPECT_THAT(here.words, HasSubstr("good are 3.4.31 and later of 3.4, 3.5.13 and later"));
    EXPECT_THAT(here.words, HasSubstr("\nno: locks cannot be trusted in "));
  }
}

TEST_F(Doctor, SaysThatTheQuotaIsUsedUp) {
  const Cluster cluster(1, {"--quota-backend-bytes=65536"});
  EXPECT_EQ(shell("head -c 60000 /dev/zero | tr '\\0' x | " + cluster.etcdctl(0) +
                  " put /big >&2; "
                  "head -c 60000 /dev/zero | tr '\\0' x | " +
                  cluster.etcdctl(0) + " put /big >&2; true")
                .code,
            0);
  const Said said = ask(cluster.url("/t"));
  EXPECT_EQ(said.code, 69) << said.words;
  EXPECT_THAT(said.words, HasSubstr("space exceeded (its quota is used up: etcdctl compact"));
  EXPECT_THAT(said.words, Not(HasSubstr("more than half have to"))) << said.words;
}

TEST_F(Doctor, TellsClustersApart) {
  const Cluster one(1);
  const Cluster other(1);
  const Said said = ask("etcd://" + one.host(0) + "," + other.host(0) + "/t");
  EXPECT_EQ(said.code, 69) << said.words;
  EXPECT_THAT(said.words,
              HasSubstr("FAIL  cluster         the endpoints belong to different clusters"));
}

// A directory is one, whatever the store of the moment is.
TEST_F(Doctor, LooksAtWhatItIsToldTo) {
  const Said said = ask(directory_.path(), "ATMOST_STORE=etcd://127.0.0.1:1/t");
  EXPECT_EQ(said.code, 0) << said.words;
  EXPECT_THAT(said.words, Not(HasSubstr("etcd")));
}

}  // namespace
}  // namespace etcd_kit
