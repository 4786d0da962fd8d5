// The ways to etcd: several endpoints, proxies, and gateways of before they were declared stable.
#include "secure_kit.h"

namespace etcd_kit {
namespace {

class Reach : public Secure {};

TEST_F(Reach, TheFirstThatAnswersWill) {
  const Cluster cluster(1);
  for (const std::string& hosts :
       {"127.0.0.1:1," + cluster.host(0), cluster.host(0) + ",127.0.0.1:1",
        "nowhere.invalid:1," + cluster.host(0)}) {
    EXPECT_EQ(run("etcd://" + hosts + "/t", "").code, 0) << hosts;
    EXPECT_TRUE(ran());
  }
}

// Messages contain the known facts about an endpoint and no guess, such as that a majority is down.
TEST_F(Reach, WhatIsAmissIsNamed) {
  const Authority ours(directory_.path(), "ours");
  const Cluster secure(1, {}, {ours.issue("server", "DNS:localhost,IP:127.0.0.1")});
  const std::string soon = " ATMOST_ETCD_TIMEOUT=1s";
  const auto expect_words = [&](const std::string& hosts, const std::string& variables,
                                const char* words) {
    const Said said = run("etcd://" + hosts + "/t", variables + soon);
    expect_refused(said, 69, words);
    EXPECT_THAT(said.words, Not(HasSubstr("half of its members"))) << hosts << " " << variables;
  };
  const std::string trusting = "ATMOST_ETCD_CACERT=" + ours.file();
  for (const std::string& variables : {std::string(), trusting}) {
    expect_words("nowhere.invalid:2379", variables,
                 "no host is known by the name in nowhere.invalid:2379");
    expect_words("127.0.0.1:1", variables, "nobody listens at 127.0.0.1:1");
    expect_words("127.0.0.1:1,127.0.0.1:2", variables, "nobody listens at 127.0.0.1:");
  }
  expect_words(secure.host(0), "", "if it speaks TLS: set $ATMOST_ETCD_CACERT");
  // Where they differ, or say nothing, a majority may be down.
  expect_refused(
      run("etcd://nowhere.invalid:1,127.0.0.1:1/t", soon), 69,
      "half of its members or more are down, out of reach or at their limit of connections");
}

TEST_F(Reach, ProxiesAreForOtherMachines) {
  const Cluster cluster(1);
  Relay relay(cluster.host(0));
  const std::string port = cluster.host(0).substr(cluster.host(0).rfind(':'));
  for (const char* variable : {"http_proxy", "all_proxy", "ALL_PROXY"}) {
    const std::string proxy = std::string(variable) + "=http://" + relay.host();
    const int before = relay.connections();
    for (const char* name : {"127.0.0.1", "localhost"}) {
      EXPECT_EQ(run("etcd://" + (name + port) + "/t", proxy).code, 0) << proxy;
      EXPECT_TRUE(ran());
    }
    EXPECT_EQ(relay.connections(), before) << proxy;
    // A name that only the proxy can resolve.
    const Said said = run("etcd://etcd.invalid" + port + "/t", proxy);
    EXPECT_EQ(said.code, 0) << said.words;
    EXPECT_TRUE(ran());
    EXPECT_GT(relay.connections(), before) << proxy;
    expect_refused(run("etcd://etcd.invalid" + port + "/t",
                       proxy + " ATMOST_ETCD_TIMEOUT=1s no_proxy=etcd.invalid"),
                   69, "etcd");
  }
}

TEST_F(Reach, TlsGoesThroughAProxyUnseen) {
  const Authority ours(directory_.path(), "ours");
  const Cluster cluster(1, {}, {ours.issue("server", "DNS:etcd.invalid,IP:127.0.0.1")});
  Relay relay(cluster.host(0));
  const std::string port = cluster.host(0).substr(cluster.host(0).rfind(':'));
  const std::string variables =
      "ATMOST_ETCD_CACERT=" + ours.file() + " https_proxy=http://" + relay.host();
  EXPECT_EQ(run("etcd://127.0.0.1" + port + "/t", variables).code, 0);
  EXPECT_EQ(relay.connections(), 0);
  const Said said = run("etcd://etcd.invalid" + port + "/t", variables);
  EXPECT_EQ(said.code, 0) << said.words;
  EXPECT_TRUE(ran());
  EXPECT_GT(relay.seen("CONNECT etcd.invalid"), 0);
  EXPECT_EQ(relay.seen("/kv/txn"), 0);
  // A proxy gives no reason to trust other certificates.
  expect_refused(run("etcd://other.invalid" + port + "/t", variables), 69, "subject name");
}

TEST_F(Reach, OlderGatewaysAreFound) {
  const Cluster cluster(1);
  Relay beta(cluster.host(0), "/v3/");
  const Said said = run("etcd://" + beta.host() + "/t", "");
  EXPECT_EQ(said.code, 0) << said.words;
  EXPECT_TRUE(ran());
  EXPECT_GT(beta.seen("/v3beta/kv/txn"), 0);
  const Said doctor = shell("\"$ATMOST_BIN/atmost\" doctor etcd://" + beta.host() + "/t");
  EXPECT_EQ(doctor.code, Cluster::keeps_leases() ? 0 : 69) << doctor.words;
  EXPECT_THAT(doctor.words, HasSubstr("locks can be kept here"));
  Relay none(cluster.host(0), "/v3");
  expect_refused(run("etcd://" + none.host() + "/t", "ATMOST_ETCD_TIMEOUT=1s"), 69,
                 "there is no etcd gateway at that address");
}

}  // namespace
}  // namespace etcd_kit
