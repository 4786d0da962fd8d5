// A PostgreSQL cluster of a test's own: made by initdb in a temporary directory, reached through a Unix socket in it,
// and gone with the test, however that ends.
#ifndef ATMOST_TESTS_POSTGRES_KIT_CLUSTER_H
#define ATMOST_TESTS_POSTGRES_KIT_CLUSTER_H

#include <libpq-fe.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

namespace postgres_kit {

class Cluster {
 public:
  // `settings`: more lines for postgresql.conf. Fails the test when there is no PostgreSQL or it does not start.
  explicit Cluster(const std::string& settings = "");
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();

  static bool installed();

  std::string url() const { return "postgres://postgres@/postgres?host=" + directory_; }
  std::string socket() const { return directory_ + "/.s.PGSQL.5432"; }
  pid_t pid() const { return server_; }  // the postmaster
  std::vector<pid_t> processes() const;  // it and its children

  void start();
  // SIGQUIT: at once, as a crash would; recovers at the next start.
  void stop();

 private:
  pid_t run(const std::vector<std::string>& argv);

  std::string bin_;
  std::string directory_;
  std::string data_;
  pid_t server_ = -1;
};

// A plain session, apart from everything that is tested.
class Session {
 public:
  explicit Session(const std::string& url);
  // The rows of the answer, columns divided by "|"; fails the test when the server refuses.
  std::vector<std::string> ask(const std::string& sql);
  std::string one(const std::string& sql);  // of the first row, empty when there is none
  bool try_to(const std::string& sql);      // without failing the test

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  std::unique_ptr<PGconn, Finish> connection_;
};

}  // namespace postgres_kit

#endif
