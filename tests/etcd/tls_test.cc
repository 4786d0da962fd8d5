// Certificates: those that are accepted, those that are not, and the messages. Verification has no
// switch.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "secure_kit.h"

namespace etcd_kit {
namespace {

class TlsTest : public Secure {
 protected:
  std::string trusting(const Authority& authority) const {
    return "ATMOST_ETCD_CACERT=" + authority.file();
  }

  Authority ours_{directory_.path(), "ours"};
  Authority theirs_{directory_.path(), "theirs"};
};

TEST_F(TlsTest, TheServerHasToProveItself) {
  const Cluster cluster(1, {}, {ours_.issue("server", "IP:127.0.0.1")});
  const std::string url = cluster.url("/t");
  EXPECT_EQ(run(url, trusting(ours_)).code, 0);
  EXPECT_TRUE(ran());
  expect_refused(run(url, trusting(theirs_)), 69, "$ATMOST_ETCD_CACERT has to name the authority");
  expect_refused(run(url, "ATMOST_ETCD_TLS=1"), 69,
                 "$ATMOST_ETCD_CACERT has to name the authority");
  // Another name than the one it was made for.
  std::string named = url;
  named.replace(named.find("127.0.0.1"), 9, "localhost");
  expect_refused(run(named, trusting(ours_)), 69,
                 "no alternative certificate subject name matches");
  // Plain HTTP, to where TLS is spoken.
  expect_refused(run(url, "ATMOST_ETCD_TIMEOUT=1s"), 69,
                 "if it speaks TLS: set $ATMOST_ETCD_CACERT");
  expect_refused(run(url, "ATMOST_ETCD_CACERT=" + file("nowhere")), 64,
                 "$ATMOST_ETCD_CACERT: cannot read");
  EXPECT_EQ(run(url, "ATMOST_ETCD_CACERT=" + write("junk", "junk")).code, 69);
  expect_refused(run(url, "ATMOST_ETCD_TLS=yes"), 64, "$ATMOST_ETCD_TLS: use 1");
  EXPECT_FALSE(ran());
}

TEST_F(TlsTest, ACertificateEnds) {
  const Cluster cluster(1, {}, {ours_.issue("server", "IP:127.0.0.1", "/O=atmost", -1)});
  expect_refused(run(cluster.url("/t"), trusting(ours_)), 69, "certificate has expired");
}

TEST_F(TlsTest, APlainServerIsNotTalkedTo) {
  const Cluster cluster(1);
  expect_refused(run(cluster.url("/t"), trusting(ours_) + " ATMOST_ETCD_TIMEOUT=1s"), 69,
                 "does it speak TLS?");
  expect_refused(run(cluster.url("/t"), "ATMOST_ETCD_TLS=1 ATMOST_ETCD_TIMEOUT=1s"), 69,
                 "does it speak TLS?");
}

// Resets every connection at its first byte.
class Resetting {
 public:
  Resetting() {
    sockaddr_in at = {};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    EXPECT_EQ(bind(listener_, address, size), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    EXPECT_EQ(getsockname(listener_, address, &size), 0);
    port_ = ntohs(at.sin_port);
    thread_ = std::thread([this] { reset_all(); });
  }
  ~Resetting() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  std::string url() const { return "etcd://127.0.0.1:" + std::to_string(port_) + "/t"; }

 private:
  void reset_all() const {
    for (int client; (client = accept(listener_, nullptr, nullptr)) >= 0; close(client)) {
      char first;
      EXPECT_GE(read(client, &first, 1), 0);
      const linger at_once = {1, 0};
      setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
  }

  const int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::uint16_t port_ = 0;
  std::thread thread_;
};

// As a plain server may, if what it has not read of our greeting comes after its answer.
TEST_F(TlsTest, AServerThatHangsUpInTheHandshakeIsAsked) {
  const Resetting server;
  expect_refused(run(server.url(), "ATMOST_ETCD_TLS=1 ATMOST_ETCD_TIMEOUT=1s"), 69,
                 "does it speak TLS?");
}

// The kernel takes connections for it, and no byte comes back.
class Silent {
 public:
  Silent() {
    sockaddr_in at = {};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    auto* const address = reinterpret_cast<sockaddr*>(&at);
    EXPECT_EQ(bind(listener_, address, size), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    EXPECT_EQ(getsockname(listener_, address, &size), 0);
    host_ = "127.0.0.1:" + std::to_string(ntohs(at.sin_port));
  }
  ~Silent() { close(listener_); }
  const std::string& host() const { return host_; }

 private:
  const int listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string host_;
};

// Its share of the time would be 20 s. Callers begin with any of the members.
TEST_F(TlsTest, ASilentMemberDoesNotUseUpTheTimeOfTheOthers) {
  const Cluster cluster(1, {}, {ours_.issue("server", "IP:127.0.0.1")});
  const Silent one, two;
  const std::string url = "etcd://" + one.host() + "," + two.host() + "," + cluster.host(0) + "/t";
  for (int i = 0; i < 3; ++i) {
    const Said said = run(url, trusting(ours_) + " ATMOST_ETCD_TIMEOUT=60s");
    EXPECT_EQ(said.code, 0) << said.words;
    EXPECT_LT(said.seconds, 15);
  }
}

TEST_F(TlsTest, ClientsHaveToProveThemselves) {
  const Certificate server = ours_.issue("server", "IP:127.0.0.1");
  const Cluster cluster(1, {}, {server, ours_.file()});
  const std::string url = cluster.url("/t");
  const auto as = [&](const Certificate& client) {
    return trusting(ours_) + " ATMOST_ETCD_CERT=" + client.cert + " ATMOST_ETCD_KEY=" + client.key;
  };
  expect_refused(run(url, trusting(ours_)), 69, "etcd wants a client certificate that it trusts");
  expect_refused(run(url, as(theirs_.issue("stranger", "DNS:stranger"))), 69,
                 "etcd wants a client certificate that it trusts");
  const Certificate client = ours_.issue("client", "DNS:client");
  EXPECT_EQ(run(url, as(client)).code, 0);
  EXPECT_TRUE(ran());
  // A key that is not this certificate's; one that others may read; half of the pair.
  expect_refused(run(url, as({client.cert, server.key})), 69, "");
  std::filesystem::permissions(client.key, static_cast<std::filesystem::perms>(0644));
  expect_refused(run(url, as(client)), 77, "others may read");
  expect_refused(run(url, trusting(ours_) + " ATMOST_ETCD_CERT=" + client.cert), 64,
                 "one needs the other");
}

// Renewals, watches and takeovers go the same way.
TEST_F(TlsTest, ALongRunIsKept) {
  const Cluster cluster(3, {}, {ours_.issue("server", "IP:127.0.0.1")});
  const std::string options = "--store '" + cluster.url("/t") + "'";
  const Variable authority("ATMOST_ETCD_CACERT", ours_.file());
  Job holder(run_line(cluster.url("/t"), {"--ttl", "4s", "--kill-grace", "500ms"},
                      "echo up >" + file("up") + "; sleep 6; echo done >" + file("done")));
  ASSERT_EQ(await_contents(file("up"), 10), "up\n");
  cluster.healthy(0);
  const Said waited =
      shell("\"$ATMOST_BIN/atmost\" run --no-history -w 20 " + options + " lock true");
  EXPECT_EQ(waited.code, 0) << waited.words;
  EXPECT_GT(waited.seconds, 4.0);
  EXPECT_EQ(holder.wait(30), 0);
  EXPECT_EQ(contents(file("done")), "done\n");
  Job again(run_line(cluster.url("/t"), {}, "echo up >" + file("again") + "; sleep 100"));
  ASSERT_EQ(await_contents(file("again"), 10), "up\n");
  const Said killed = shell("\"$ATMOST_BIN/atmost\" kill " + options + " lock");
  EXPECT_EQ(killed.code, 0) << killed.words;
  EXPECT_EQ(again.wait(30), 79);
}

}  // namespace
}  // namespace etcd_kit
