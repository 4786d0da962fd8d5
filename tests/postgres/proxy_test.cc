// Behind a real pgbouncer: where sessions are our own all is well, where they are pooled nothing is
// granted.
#include <pwd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "server_kit.h"

namespace postgres_kit {
namespace {

// pgbouncer, as the user that PostgreSQL runs as.
class Bouncer {
 public:
  Bouncer(const std::string& directory, const Cluster& cluster, const std::string& mode) {
    const std::string server = std::filesystem::path(cluster.socket()).parent_path();
    std::ofstream(directory + "/users") << "\"postgres\" \"\"\n";
    std::ofstream(directory + "/ini")
        << "[databases]\npostgres = host=" << server << " port=" << cluster.port()
        << " dbname=postgres\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = " << directory
        << "\nlisten_port = 5432\nauth_type = trust\nauth_file = " << directory
        << "/users\npool_mode = " << mode << "\nignore_startup_parameters = extra_float_digits\n";
    Argv argv = {"/usr/sbin/pgbouncer", "-q", directory + "/ini"};
    if (geteuid() == 0) {
      const passwd* user = getpwnam("postgres");
      for (const char* name : {"", "/users", "/ini"}) {
        EXPECT_EQ(chown((directory + name).c_str(), user->pw_uid, user->pw_gid), 0);
      }
      argv = {"/usr/sbin/pgbouncer", "-q", "-u", "postgres", directory + "/ini"};
    }
    job_ = std::make_unique<Job>(argv, directory + "/bouncer.log");
    EXPECT_TRUE(eventually(10, [&] { return listens(directory + "/.s.PGSQL.5432"); }))
        << contents(directory + "/bouncer.log");
    url_ = "postgres://postgres@/postgres?host=" + directory;
  }
  const std::string& url() const { return url_; }

 private:
  // The socket has its name before anybody listens there.
  static bool listens(const std::string& path) {
    sockaddr_un at = {};
    at.sun_family = AF_UNIX;
    path.copy(at.sun_path, sizeof at.sun_path - 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool done = connect(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
    close(fd);
    return done;
  }

  std::string url_;
  std::unique_ptr<Job> job_;
};

class Pooled : public Server, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(By, Pooled, ::testing::Values("transaction", "statement"));

TEST_P(Pooled, IsNamedAndRefused) {
  if (access("/usr/sbin/pgbouncer", X_OK) != 0) GTEST_SKIP() << "pgbouncer is not installed";
  const Bouncer bouncer(directory_.path(), *cluster_, GetParam());
  EXPECT_EQ(run_now(bouncer.url(), file("out")), 69);
  EXPECT_NE(contents(file("out")).find("pgbouncer"), std::string::npos) << contents(file("out"));
  EXPECT_EQ(Job({atmost_program(), "doctor", bouncer.url()}, file("doctor")).wait(10), 69);
  EXPECT_NE(contents(file("doctor")).find("pool_mode=session"), std::string::npos)
      << contents(file("doctor"));
}

TEST_F(Server, AProxyThatLeavesSessionsAloneWillDo) {
  if (access("/usr/sbin/pgbouncer", X_OK) != 0) GTEST_SKIP() << "pgbouncer is not installed";
  const Bouncer bouncer(directory_.path(), *cluster_, "session");
  EXPECT_EQ(run_now(bouncer.url(), file("out")), 0) << contents(file("out"));
  EXPECT_EQ(Job({atmost_program(), "doctor", bouncer.url()}, file("doctor")).wait(10), 0);
  EXPECT_NE(contents(file("doctor")).find("a proxy stands in between"), std::string::npos)
      << contents(file("doctor"));
}

}  // namespace
}  // namespace postgres_kit
