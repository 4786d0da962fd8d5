// Admission to the server, and the message of a refusal.
#include <sys/stat.h>

#include <algorithm>

#include "fleet/authority.h"
#include "fleet/variable.h"
#include "server_kit.h"
#include "store/postgres/address.h"

namespace postgres_kit {
namespace {

using fleet_kit::Authority;
using fleet_kit::Certificate;
using fleet_kit::Variable;

TEST_F(Server, WhoMayNotCreateTheTablesIsToldWhoMay) {
  {
    Session session(cluster_->url());
    session.ask("CREATE DATABASE closed");
    session.ask("CREATE ROLE guest LOGIN");
  }
  std::string url = cluster_->url();
  url.replace(url.find("postgres@/postgres"), 18, "guest@/closed");
  EXPECT_EQ(run_now(url, file("out")), 77);
  EXPECT_NE(contents(file("out")).find("atmost schema postgres"), std::string::npos)
      << contents(file("out"));
  // The script does what the message promises.
  std::string owner = cluster_->url();
  owner.replace(owner.find("@/postgres"), 10, "@/closed");
  EXPECT_EQ(Job({atmost_program(), "schema", "postgres"}, file("sql")).wait(10), 0);
  Session session(owner);
  session.ask(contents(file("sql")));
  EXPECT_EQ(run_now(url), 77);
  session.ask("GRANT USAGE ON SCHEMA atmost TO guest");
  const std::vector<std::string> doctor = {atmost_program(), "doctor", url};
  EXPECT_EQ(Job(doctor, file("out")).wait(10), 77);
  EXPECT_NE(
      contents(file("out")).find("FAIL  rights          this user lacks SELECT on atmost.lock"),
      std::string::npos)
      << contents(file("out"));
  session.ask("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA atmost TO guest");
  session.ask("GRANT USAGE ON ALL SEQUENCES IN SCHEMA atmost TO guest");
  EXPECT_EQ(run_now(url), 0);
  EXPECT_EQ(Job(doctor, file("out")).wait(10), 0) << contents(file("out"));
}

TEST_F(Server, SessionsThatAreReadOnlyByDefaultWriteAllTheSame) {
  Session session(cluster_->url());
  session.ask("CREATE DATABASE reading");
  session.ask("ALTER DATABASE reading SET default_transaction_read_only = on");
  std::string url = cluster_->url();
  url.replace(url.find("@/postgres"), 10, "@/reading");
  EXPECT_EQ(run_now(url, file("out")), 0) << contents(file("out"));
  EXPECT_EQ(Job({atmost_program(), "doctor", url}, file("out")).wait(10), 0)
      << contents(file("out"));
}

// Tables of an earlier format, as they were left behind.
void make_earlier(Session& there, int format) {
  there.ask("ALTER TABLE atmost.lock DROP COLUMN recorded, DROP COLUMN failures");
  there.ask("ALTER TABLE atmost.waiter DROP COLUMN turn, DROP COLUMN parked");
  if (format < 3) {
    there.ask("ALTER TABLE atmost.lock DROP COLUMN admissions, DROP COLUMN superseding");
    there.ask("ALTER TABLE atmost.waiter DROP COLUMN due, DROP COLUMN supersedes");
  }
  there.ask("COMMENT ON SCHEMA atmost IS 'atmost: locks, format " + std::to_string(format) + "'");
}

// They get what is missing, and keep what they have.
TEST_F(Server, AnEarlierFormatIsBroughtUpByTheOwnerOfTheTables) {
  Session session(cluster_->url());
  session.ask("CREATE ROLE late LOGIN");
  for (const int format : {2, 3}) {
    const std::string name = "earlier" + std::to_string(format);
    session.ask("CREATE DATABASE " + name);
    std::string url = cluster_->url();
    url.replace(url.find("@/postgres"), 10, "@/" + name);
    ASSERT_EQ(Job(run({"--rate", "3/1h"}, "true", url)).wait(20), 0);
    Session there(url);
    const std::string token = there.one("SELECT max(token) FROM atmost.lock");
    const std::string started = there.one("SELECT max(last_start) FROM atmost.lock");
    make_earlier(there, format);
    there.ask("GRANT USAGE ON SCHEMA atmost TO late");
    there.ask("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA atmost TO late");
    there.ask("GRANT USAGE ON ALL SEQUENCES IN SCHEMA atmost TO late");
    std::string other = url;
    other.replace(other.find("postgres@/"), 10, "late@/");
    EXPECT_EQ(run_now(other, file("out")), 77);
    EXPECT_NE(contents(file("out")).find("of an earlier format"), std::string::npos)
        << contents(file("out"));
    EXPECT_EQ(there.one("SELECT max(token) FROM atmost.lock"), token);
    EXPECT_EQ(there.one("SELECT max(last_start) FROM atmost.lock"), started);
    EXPECT_EQ(run_now(url), 0);
    EXPECT_EQ(run_now(other), 0);
    EXPECT_EQ(there.one("SELECT max(token) > " + token + " FROM atmost.lock"), "t");
    // Three admissions of the rate are known, unless the format before did not keep them.
    EXPECT_EQ(Job(run({"--rate", "3/1h"}, "true", url)).wait(20), format < 3 ? 0 : 76) << format;
    // A caller that connected before records what it admits, and does not count it.
    there.ask("UPDATE atmost.lock SET recorded = 0");
    EXPECT_EQ(Job(run({"--rate", "2/1h"}, "true", url)).wait(20), 76) << format;
  }
}

// The doctor meets whatever run would meet: each column in its turn has another name.
TEST_F(Server, ADoctorNamesTheColumnThatIsNotThere) {
  Session session(cluster_->url());
  session.ask("CREATE DATABASE renamed");
  std::string url = cluster_->url();
  url.replace(url.find("@/postgres"), 10, "@/renamed");
  ASSERT_EQ(run_now(url), 0);
  Session there(url);
  const std::vector<std::string> columns = there.ask(
      "SELECT 'atmost.' || table_name || '|' || column_name FROM information_schema.columns WHERE "
      "table_schema = 'atmost' AND table_name IN ('lock', 'era', 'holder', 'waiter', 'takeover')");
  EXPECT_GT(columns.size(), 40u);
  for (const std::string& each : columns) {
    const std::string table = each.substr(0, each.find('|'));
    const std::string column = each.substr(each.find('|') + 1);
    there.ask("ALTER TABLE " + table + " RENAME COLUMN " + column + " TO other");
    const std::string out = file(table + column);
    EXPECT_EQ(Job({atmost_program(), "doctor", url}, out).wait(10), 69) << each << contents(out);
    EXPECT_NE(contents(out).find("FAIL  tables          what a caller asks fails: column"),
              std::string::npos)
        << contents(out);
    EXPECT_NE(contents(out).find(column), std::string::npos) << each << contents(out);
    there.ask("ALTER TABLE " + table + " RENAME COLUMN other TO " + column);
  }
  EXPECT_EQ(Job({atmost_program(), "doctor", url}).wait(10), 0);
}

TEST_F(Server, APasswordComesFromAFileAndNotFromTheUrl) {
  EXPECT_EQ(run_now("postgres://postgres:secret@/postgres?host=/tmp", file("out")), 64);
  EXPECT_EQ(contents(file("out")).find("secret"), std::string::npos);
  EXPECT_EQ(run_now("postgres://postgres@/postgres?host=/tmp&password=secret", file("out")), 64);
  EXPECT_EQ(contents(file("out")).find("secret"), std::string::npos);
}

// A server on the network, with a certificate for db.test, which wants to know who somebody is.
class Network : public Server {
 protected:
  static void SetUpTestSuite() {
    home_ = std::make_unique<witness::TempDir>();
    EXPECT_EQ(chmod(home_->path().c_str(), 0711), 0);  // the server is another user
    ours_ = std::make_unique<Authority>(home_->path(), "ca");
    const Certificate server = ours_->issue("server", "DNS:db.test", "/CN=db.test");
    old_ = ours_->issue("old", "DNS:db.test", "/CN=db.test", -1);
    person_ = ours_->issue("person", "DNS:certified", "/CN=certified");
    for (const Certificate& each : {server, old_}) Cluster::give(each.key);
    // Another authority of the same name.
    const std::string other = home_->file("other");
    std::filesystem::create_directory(other);
    theirs_ = std::make_unique<Authority>(other, "ca");
    stranger_ = theirs_->issue("person", "DNS:certified", "/CN=certified");
    const std::string hba = home_->file("hba");
    std::ofstream(hba)
        << "local all all trust\nhostssl all secret 127.0.0.1/32 scram-sha-256\n"
           "hostssl all certified 127.0.0.1/32 cert\nhost all postgres 127.0.0.1/32 trust\n";
    cluster_ = std::make_unique<Cluster>(
        "listen_addresses = '127.0.0.1'\nssl = on\nssl_cert_file = '" + server.cert +
        "'\nssl_key_file = '" + server.key + "'\nssl_ca_file = '" + ours_->file() +
        "'\nhba_file = '" + hba + "'");
    Session session(cluster_->url());
    session.ask("CREATE ROLE secret LOGIN SUPERUSER PASSWORD 'rosebud'");
    session.ask("CREATE ROLE certified LOGIN SUPERUSER");
  }
  static void TearDownTestSuite() {
    cluster_.reset();
    home_.reset();
  }

  // db.test is here, whatever name is asked for.
  std::string url(const std::string& user, const std::string& host = "db.test",
                  const std::string& more = "&sslmode=verify-full") const {
    return "postgres://" + user + "@" + host + ":" + std::to_string(cluster_->port()) +
           "/postgres?hostaddr=127.0.0.1&sslrootcert=" + ours_->file() + more;
  }
  // Nothing runs, one line names the reason, and the code its kind.
  void expect_refused(const std::string& where, int code, const std::string& words) const {
    std::filesystem::remove(file("out"));
    const int ended =
        Job(run({}, "touch " + file("ran"), where), file("out")).wait(20).value_or(-1);
    EXPECT_EQ(ended, code);
    const std::string out = contents(file("out"));
    EXPECT_NE(out.find(words), std::string::npos) << out;
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1) << out;
    EXPECT_EQ(out.find("rosebud"), std::string::npos) << out;
    EXPECT_FALSE(there("ran"));
  }
  // The command and whoever started it know nothing of the secret.
  void expect_admitted_in_secret(const std::string& where) const {
    const std::string look = "env >" + file("seen") + "; cat /proc/[0-9]*/cmdline >>" +
                             file("seen") + " 2>/dev/null; true";
    EXPECT_EQ(Job(run({}, look, where), file("out")).wait(20), 0) << contents(file("out"));
    EXPECT_NE(contents(file("seen")).find("ATMOST_TOKEN"), std::string::npos);
    EXPECT_EQ(contents(file("seen")).find("rosebud"), std::string::npos);
  }
  // Changes a setting of the running server, for new connections.
  static void set(const std::string& what) {
    Session session(cluster_->url());
    session.ask("ALTER SYSTEM " + what);
    session.ask("SELECT pg_reload_conf()");
    const std::string now = what == "SET ssl = off" ? "off" : "on";
    EXPECT_TRUE(eventually(10, [&] { return Session(cluster_->url()).one("SHOW ssl") == now; }));
  }

  static inline std::unique_ptr<witness::TempDir> home_;
  static inline std::unique_ptr<Authority> ours_;
  static inline std::unique_ptr<Authority> theirs_;
  static inline Certificate old_;       // of a server; it has ended
  static inline Certificate person_;    // by us
  static inline Certificate stranger_;  // by them
};

TEST_F(Network, AServerWithTheRightCertificateIsTrusted) {
  EXPECT_EQ(run_now(url("postgres"), file("out")), 0) << contents(file("out"));
}

TEST_F(Network, AnotherAuthoritysCertificateIsRefused) {
  std::string where = url("postgres");
  where.replace(where.find(ours_->file()), ours_->file().size(), theirs_->file());
  expect_refused(where, 69, "certificate verify failed");
}

TEST_F(Network, AnotherHostsCertificateIsRefused) {
  expect_refused(url("postgres", "other.test"), 69, "does not match host name \"other.test\"");
}

TEST_F(Network, AnExpiredCertificateIsRefused) {
  set("SET ssl_key_file = '" + old_.key + "'");
  set("SET ssl_cert_file = '" + old_.cert + "'");
  const auto refused = [this] {
    return run_now(url("postgres")) == 69;
  };  // its new face may take a moment to show
  EXPECT_TRUE(eventually(10, refused));
  expect_refused(url("postgres"), 69, "certificate verify failed");
  set("RESET ALL");
  EXPECT_TRUE(eventually(10, [this] { return run_now(url("postgres")) == 0; }));
}

TEST_F(Network, AServerWithoutTlsIsRefused) {
  set("SET ssl = off");
  expect_refused(url("postgres"), 69, "server does not support SSL");
  EXPECT_EQ(run_now(url("postgres", "db.test", "&sslmode=disable")), 0);
  set("RESET ALL");
}

TEST_F(Network, AClientsCertificateIsAsked) {
  expect_refused(url("certified"), 77, "valid client certificate");
  const auto as = [this](const Certificate& client) {
    return url("certified", "db.test",
               "&sslmode=verify-full&sslcert=" + client.cert + "&sslkey=" + client.key);
  };
  expect_refused(as(stranger_), 69, "unknown ca");
  EXPECT_EQ(run_now(as(person_), file("out")), 0) << contents(file("out"));
}

TEST_F(Network, APasswordComesFromWhereNobodySeesIt) {
  const auto put = [this](const std::string& name, const std::string& text) {
    std::ofstream(file(name)) << text;
    EXPECT_EQ(chmod(file(name).c_str(), 0600), 0);
    return file(name);
  };
  expect_refused(url("secret"), 77, "$ATMOST_POSTGRES_PASSWORD_FILE");
  {
    const Variable wrong("ATMOST_POSTGRES_PASSWORD_FILE", put("wrong", "bud\n"));
    expect_refused(url("secret"), 77, "password authentication failed");
  }
  {
    const Variable missing("ATMOST_POSTGRES_PASSWORD_FILE", file("nowhere"));
    expect_refused(url("secret"), 64, "cannot read a secret");
  }
  {
    const Variable right("ATMOST_POSTGRES_PASSWORD_FILE", put("right", "rosebud\n"));
    expect_admitted_in_secret(url("secret"));
  }
  {
    const Variable right("ATMOST_POSTGRES_PASSWORD", "rosebud");
    expect_admitted_in_secret(url("secret"));
  }
  const Variable passes("PGPASSFILE", put("passes", "db.test:*:*:secret:rosebud\n"));
  expect_admitted_in_secret(url("secret"));
}

// The order of the questions does not matter.
TEST_F(Network, AWrongPasswordIsToldThoughAnotherServerIsGone) {
  std::ofstream(file("wrong")) << "bud\n";
  EXPECT_EQ(chmod(file("wrong").c_str(), 0600), 0);
  const Variable wrong("ATMOST_POSTGRES_PASSWORD_FILE", file("wrong"));
  const std::string ports[] = {std::to_string(cluster_->port()), "1"};
  for (const int first : {0, 1}) {
    const std::string where =
        "postgres://secret@db.test:" + ports[first] + ",db.test:" + ports[1 - first] +
        "/postgres?hostaddr=127.0.0.1,127.0.0.1&sslrootcert=" + ours_->file() +
        "&sslmode=verify-full";
    expect_refused(where, 77, "password authentication failed");
    expect_refused(where, 77, "Connection refused");
  }
}

TEST(AddressOf, WhatIsShownLeadsThereAgain) {
  const auto shown = [](const std::string& url) -> std::string {
    const auto address = atmost::postgres::parse_address(url);
    return address.ok() ? address.value().shown : "wrong";
  };
  for (const char* url : {
           "postgres://db.example.org/ops",
           "postgres://me@db1.example.org:5432,db2.example.org:5433/ops",
           "postgres://me@10.0.0.1:5432,[::1]:5433/ops",
           "postgres://a%40b@db1,db2:77/o%2Fps",
           "postgres://db.example.org/ops?hostaddr=10.0.0.1",
           "postgres:///ops?host=/run/postgresql",
           "postgres://me@/ops?host=/run/a,/run/b&port=1,2",
           "postgres://",
       }) {
    EXPECT_EQ(shown(url), url);
  }
  EXPECT_EQ(shown("postgresql://me@db1,db2/ops?port=5432&sslmode=require"),
            "postgres://me@db1:5432,db2:5432/ops");
  EXPECT_EQ(shown("postgres://%2Frun%2Fpostgresql:5433/ops"),
            "postgres:///ops?host=/run/postgresql&port=5433");
}

TEST(AddressOf, AHostOnTheNetworkIsVerifiedUnlessSomebodySaysOtherwise) {
  const auto mode = [](const std::string& url, std::size_t server = 0) -> std::string {
    const auto address = atmost::postgres::parse_address(url);
    if (!address.ok() || address.value().servers.size() <= server) return "wrong";
    for (const auto& [keyword, value] : address.value().servers[server]) {
      if (keyword == "sslmode") return value;
    }
    return "";
  };
  EXPECT_EQ(mode("postgres://db.example.org/ops"), "verify-full");
  EXPECT_EQ(mode("postgres://10.0.0.1,localhost/ops", 0), "verify-full");
  EXPECT_EQ(mode("postgres://10.0.0.1,localhost/ops", 1), "");
  EXPECT_EQ(mode("postgres://db.example.org/ops?sslmode=require"), "require");
  EXPECT_EQ(mode("postgres:///ops?host=/run/postgresql"), "");
  EXPECT_EQ(mode("postgres://127.0.0.1,[::1]/ops", 1), "");
  EXPECT_EQ(mode("postgres://localhost/ops?hostaddr=10.0.0.1"), "verify-full");
  const Variable host("PGHOST", "db.example.org");
  EXPECT_EQ(mode("postgres:///ops"), "verify-full");
  const Variable mode_of_libpq("PGSSLMODE", "disable");
  EXPECT_EQ(mode("postgres:///ops"), "");
}

}  // namespace
}  // namespace postgres_kit
