// etcd's own accounts: who may, who may not, and where a password is never seen.
#include "secure_kit.h"

namespace etcd_kit {
namespace {

constexpr const char* kPassword = "correct-horse-battery";

class Accounts : public Secure {
 protected:
  // root, and one who may write below /t/ alone.
  Accounts() {
    for (const char* words :
         {"user add root:rootword", "user grant-role root root", "role add locks",
          "role grant-permission locks --prefix=true readwrite /t/", "role add none",
          "user add stranger:word", "user grant-role stranger none"}) {
      etcdctl("", words);
    }
    etcdctl("", std::string("user add atmost:") + kPassword);
    etcdctl("", "user grant-role atmost locks");
    etcdctl("", "auth enable");
  }
  void etcdctl(const std::string& user, const std::string& words) const {
    const Said said = shell("ETCDCTL_API=3 etcdctl --endpoints " + cluster_.host(0) +
                            (user.empty() ? " " : " --user " + user + " ") + words);
    ASSERT_EQ(said.code, 0) << words << ": " << said.words;
  }

  std::string with_password() const {
    return std::string("ATMOST_ETCD_USER=atmost ATMOST_ETCD_PASSWORD=") + kPassword;
  }
  std::string with_file() const {
    return "ATMOST_ETCD_USER=atmost ATMOST_ETCD_PASSWORD_FILE=" +
           write("password", std::string(kPassword) + "\n");
  }

  // Tokens that nobody uses for a second are forgotten.
  Cluster cluster_{1, {"--auth-token-ttl", "1"}};
};

TEST_F(Accounts, LetInWhoIsKnown) {
  const std::string url = cluster_.url("/t");
  expect_refused(run(url, ""), 77, "user name is empty");
  expect_refused(run(url, "ATMOST_ETCD_USER=atmost ATMOST_ETCD_PASSWORD=wrong"), 77,
                 "authentication failed");
  expect_refused(run(url, "ATMOST_ETCD_USER=nobody ATMOST_ETCD_PASSWORD=x"), 77,
                 "authentication failed");
  expect_refused(run(url, "ATMOST_ETCD_TOKEN=made.up"), 77, "invalid auth token");
  expect_refused(run(url, "ATMOST_ETCD_PASSWORD=x"), 64, "$ATMOST_ETCD_USER");
  EXPECT_EQ(run(url, with_password()).code, 0);
  EXPECT_TRUE(ran());
  EXPECT_EQ(run(url, with_file()).code, 0);
  EXPECT_TRUE(ran());
  std::filesystem::permissions(file("password"), static_cast<std::filesystem::perms>(0644));
  expect_refused(run(url, "ATMOST_ETCD_USER=atmost ATMOST_ETCD_PASSWORD_FILE=" + file("password")),
                 77, "others may read");
}

TEST_F(Accounts, NobodyGetsFurtherThanHisRole) {
  expect_refused(run(cluster_.url("/t"), "ATMOST_ETCD_USER=stranger ATMOST_ETCD_PASSWORD=word"), 77,
                 "permission denied");
  expect_refused(run(cluster_.url("/elsewhere"), with_password()), 77, "permission denied");
  // A role that may read, and no more.
  etcdctl("root:rootword", "role grant-permission none --prefix=true read /t/");
  expect_refused(run(cluster_.url("/t"), "ATMOST_ETCD_USER=stranger ATMOST_ETCD_PASSWORD=word"), 77,
                 "permission denied");
}

TEST_F(Accounts, APasswordIsSeenNowhere) {
  const std::string look =
      "env >" + file("env") + "; cat /proc/[0-9]*/cmdline >" + file("cmdlines") + " 2>/dev/null";
  // In the environment of this process, so that no shell has it in its arguments.
  const Variable user("ATMOST_ETCD_USER", "atmost");
  const Variable password("ATMOST_ETCD_PASSWORD", kPassword);
  const Said said = run(cluster_.url("/t"), "", look + "; true");
  const Said refused = run(cluster_.url("/elsewhere"), "");
  EXPECT_EQ(said.code, 0) << said.words;
  EXPECT_EQ(refused.code, 77) << refused.words;
  EXPECT_THAT(contents(file("env")), HasSubstr("ATMOST_TOKEN="));
  EXPECT_THAT(contents(file("cmdlines")), HasSubstr("atmost"));
  EXPECT_THAT(contents(file("history.jsonl")), HasSubstr("admitted"));
  for (const std::string& text : {contents(file("env")), contents(file("cmdlines")),
                                  contents(file("history.jsonl")), said.words, refused.words}) {
    EXPECT_EQ(text.find(kPassword), std::string::npos);
  }
}

// Between two renewals the token is forgotten, and accounts change, which makes all tokens old: the
// holder keeps its lease and reports its end, and a waiter keeps its place.
TEST_F(Accounts, ATokenThatEndsCostsNoLeaseAndNoPlace) {
  Relay relay(cluster_.host(0));
  const std::string url = "etcd://" + relay.host() + "/t";
  const Variable user("ATMOST_ETCD_USER", "atmost");
  const Variable password("ATMOST_ETCD_PASSWORD", kPassword);
  Job holder(run_line(
      url,
      {"--ttl", "12s", "--kill-grace", "500ms", "--if-elapsed", "1h", "--elapsed-from", "finish"},
      "echo up >" + file("up") + "; sleep 6; echo done >" + file("done")));
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  Job waiter(run_line(url, {"-w", "20"}, "cp " + file("done") + " " + file("after")));
  const int before = relay.seen("/auth/authenticate");
  etcdctl("root:rootword", "user add another:word");
  EXPECT_EQ(holder.wait(30), 0);
  EXPECT_EQ(waiter.wait(30), 0);
  EXPECT_EQ(contents(file("after")), "done\n");
  EXPECT_GT(relay.seen("/auth/authenticate"), before);
  const Said soon =
      shell("\"$ATMOST_BIN/atmost\" check -n 1 --if-elapsed 1h --elapsed-from finish --store " +
            url + " lock");
  EXPECT_EQ(soon.code, 76) << soon.words;
}

// A pass keeps the secret from the commands that it asks and runs, and hands it to its supervisors
// alone.
TEST_F(Accounts, APassKeepsItToo) {
  write("f", "[groups]\nus = { command = [\"sh\", \"-c\", \"env >" + file("group") +
                 "\"] }\n[[atom]]\noperator = \"a\"\noperand = \"b\"\nwhen = \"us\"\ncommand = "
                 "[\"sh\", \"-c\", "
                 "\"env >" +
                 file("env") + "; cat /proc/[0-9]*/cmdline >" + file("cmdlines") +
                 " 2>/dev/null; true\"]\n[[atom]]\noperator = \"a\"\noperand = \"c\"\nscope = "
                 "\"host\"\ncommand = "
                 "[\"sh\", \"-c\", \"env >" +
                 file("own") + "\"]\n");
  const Variable user("ATMOST_ETCD_USER", "atmost");
  const Variable password("ATMOST_ETCD_PASSWORD", kPassword);
  const Said said =
      shell("ATMOST_DIR=" + directory_.path() + " \"$ATMOST_BIN/atmost\" pass -v --store '" +
            cluster_.url("/t") + "' " + file("f"));
  EXPECT_EQ(said.code, 0) << said.words;
  for (const char* name : {"group", "env", "own", "cmdlines", "history.jsonl"}) {
    EXPECT_NE(contents(file(name)), "") << name;
    EXPECT_EQ(contents(file(name)).find(kPassword), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace etcd_kit
