// A PostgreSQL cluster of a test's own: made by initdb in a temporary directory, reached through a
// Unix socket in it, and gone with the test, however that ends.
#ifndef ATMOST_TESTS_POSTGRES_KIT_CLUSTER_H
#define ATMOST_TESTS_POSTGRES_KIT_CLUSTER_H

#include <libpq-fe.h>
#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace postgres_kit {

// The place of a server that does not simply run on this machine, with a Unix socket alone.
struct Ground {
  std::string address;          // IPv4, to listen on
  std::function<void()> enter;  // as root, in the new process, before it becomes the server
};

class Cluster {
 public:
  // `settings`: more lines for postgresql.conf. Fails the test when there is no PostgreSQL or it
  // does not start.
  explicit Cluster(const std::string& settings = "", Ground ground = {});
  // A standby that follows `primary`, fed asynchronously.
  static std::unique_ptr<Cluster> standby_of(const Cluster& primary);
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();

  static bool installed();

  // Another program of this PostgreSQL: pg_dump, psql ...
  std::string program(const std::string& name) const { return bin_ + "/" + name; }

  std::string url() const {
    return "postgres://postgres@/postgres?host=" + directory_ + "&port=" + std::to_string(port_);
  }
  std::string directory() const { return directory_; }
  std::string socket() const { return directory_ + "/.s.PGSQL." + std::to_string(port_); }
  // For a server that listens on the network (listen_addresses in its settings): on this port,
  // which nobody else has.
  int port() const { return port_; }
  // The URL for clients elsewhere: by the network, which is the test's own and needs no TLS.
  std::string remote_url() const {
    return "postgres://postgres@" + ground_.address + ":" + std::to_string(port_) +
           "/postgres?sslmode=disable";
  }
  pid_t pid() const { return server_; }  // the postmaster
  std::vector<pid_t> processes() const;  // it and its children

  void start();
  // SIGQUIT: at once, as a crash would; recovers at the next start.
  void stop();

  // SIGKILL to all its processes: they send nothing more. Returns when they are gone.
  void crash();
  // pg_ctl's `promote`: returns when it takes writes.
  void promote();
  // Puts a file of the test's into the server's hands.
  static void give(const std::string& path);

 private:
  struct Bare {};
  explicit Cluster(Bare, Ground ground = {});
  void configure(const std::string& settings);
  void run_to_end(const std::vector<std::string>& argv);
  pid_t run(const std::vector<std::string>& argv);

  Ground ground_;
  std::string bin_;
  std::string directory_;
  std::string data_;
  int port_ = 0;
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
