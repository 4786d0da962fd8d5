#include "cluster.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace postgres_kit {
namespace {

// Debian keeps the server's programs out of PATH, one folder a version.
std::string find_bin() {
  std::string newest;
  int best = 0;
  std::error_code none;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
    const std::string bin = version.path().string() + "/bin";
    const int number = std::atoi(version.path().filename().c_str());
    if (number > best && access((bin + "/initdb").c_str(), X_OK) == 0) {
      best = number;
      newest = bin;
    }
  }
  return newest;
}

// PostgreSQL refuses to be root.
const passwd* server_user() { return geteuid() == 0 ? getpwnam("postgres") : nullptr; }

// Nobody's at this moment. Its socket's name is made of it, too.
int free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(fd);
  return ntohs(address.sin_port);
}

bool answers(const std::string& url) {
  PGconn* connection = PQconnectdb(url.c_str());
  const bool ok = PQstatus(connection) == CONNECTION_OK;
  PQfinish(connection);
  return ok;
}

}  // namespace

bool Cluster::installed() {
  return !find_bin().empty() && (geteuid() != 0 || getpwnam("postgres") != nullptr);
}

pid_t Cluster::run(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const passwd* user = server_user();
  const std::string log = directory_ + "/log";
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid != 0) return pid;
  if (ground_.enter) ground_.enter();
  if (user != nullptr &&
      (setgid(user->pw_gid) != 0 || setgroups(0, nullptr) != 0 || setuid(user->pw_uid) != 0))
    _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGQUIT);  // at once, without a shutdown checkpoint
  if (getppid() != parent) _exit(126);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  setpgid(0, 0);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int in = open("/dev/null", O_RDONLY);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  setenv("LC_ALL", "C", 1);
  if (chdir("/") != 0) _exit(126);
  execv(words[0], words.data());
  _exit(127);
}

Cluster::Cluster(Bare, Ground ground)
    : ground_(std::move(ground)), bin_(find_bin()), port_(free_port()) {
  char name[] = "/tmp/atmost-pg-XXXXXX";
  EXPECT_NE(mkdtemp(name), nullptr);
  directory_ = name;
  data_ = directory_ + "/data";
  give(directory_);
}

Cluster::Cluster(const std::string& settings, Ground ground) : Cluster(Bare(), std::move(ground)) {
  run_to_end({bin_ + "/initdb", "-D", data_, "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8",
              "--locale=C"});
  if (ground_.address.empty()) {
    configure("fsync = off\n" + settings);
  } else {
    configure("fsync = off\nlisten_addresses = '" + ground_.address + "'\n" + settings);
    std::ofstream(data_ + "/pg_hba.conf", std::ios::app) << "host all all 10.0.0.0/8 trust\n";
  }
  start();
}

std::unique_ptr<Cluster> Cluster::standby_of(const Cluster& primary) {
  std::unique_ptr<Cluster> one(new Cluster(Bare()));
  one->run_to_end({one->bin_ + "/pg_basebackup", "-D", one->data_, "-d",
                   primary.url() + "&application_name=standby", "-R", "-c", "fast"});
  one->configure("wal_retrieve_retry_interval = 100ms");
  one->start();
  return one;
}

void Cluster::configure(const std::string& settings) {
  // The last line of a name counts: a standby has its primary's before.
  std::ofstream(data_ + "/postgresql.conf", std::ios::app)
      << "listen_addresses = ''\nunix_socket_directories = '" << directory_ << "'\nport = " << port_
      << "\nmax_connections = 250\nshared_buffers = 16MB\nautovacuum = on\nlog_min_messages = log\n"
      << settings << "\n";
}

void Cluster::give(const std::string& path) {
  if (const passwd* user = server_user()) {
    EXPECT_EQ(chown(path.c_str(), user->pw_uid, user->pw_gid), 0) << path;
  }
}

void Cluster::run_to_end(const std::vector<std::string>& argv) {
  const pid_t pid = run(argv);
  int status = -1;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0) << argv[0] << "; see " << directory_ << "/log";
}

void Cluster::promote() { run_to_end({bin_ + "/pg_ctl", "promote", "-w", "-D", data_}); }

void Cluster::start() {
  server_ = run({bin_ + "/postgres", "-D", data_});
  for (int tries = 0; tries < 600 && !answers(url()); ++tries) {
    int status = 0;
    if (waitpid(server_, &status, WNOHANG) == server_) {
      server_ = -1;
      ADD_FAILURE() << "postgres ended; see " << directory_ << "/log";
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(answers(url())) << "see " << directory_ << "/log";
}

void Cluster::stop() {
  if (server_ <= 0) return;
  kill(server_, SIGCONT);
  kill(server_, SIGQUIT);
  waitpid(server_, nullptr, 0);
  server_ = -1;
}

void Cluster::crash() {
  kill(server_, SIGSTOP);  // so it starts no more of them
  waitpid(server_, nullptr, WUNTRACED);
  std::vector<pollfd> ends;
  const std::vector<pid_t> all = processes();
  for (const pid_t pid : all)
    ends.push_back({static_cast<int>(syscall(SYS_pidfd_open, pid, 0)), POLLIN, 0});
  for (const int signal : {SIGSTOP, SIGKILL}) {
    for (const pid_t pid : all) kill(pid, signal);
  }
  for (pollfd& end : ends) {
    if (end.fd < 0) continue;  // it had ended
    EXPECT_EQ(poll(&end, 1, 30'000), 1);
    close(end.fd);
  }
  waitpid(server_, nullptr, 0);
  server_ = -1;
}

// Fields of /proc/PID/stat: the pid, a name in parentheses, a state, the parent.
std::vector<pid_t> Cluster::processes() const {
  std::vector<pid_t> all = {server_};
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
    std::string stat;
    std::getline(std::ifstream(entry.path() / "stat"), stat);
    const std::size_t end = stat.rfind(')');
    if (end == std::string::npos || stat.size() < end + 4) continue;
    if (std::atoi(stat.c_str() + end + 4) == server_) all.push_back(std::atoi(stat.c_str()));
  }
  return all;
}

Cluster::~Cluster() {
  stop();
  std::error_code ignored;
  if (!testing::Test::HasFailure()) std::filesystem::remove_all(directory_, ignored);
}

Session::Session(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
  EXPECT_EQ(PQstatus(connection_.get()), CONNECTION_OK) << PQerrorMessage(connection_.get());
  try_to("SET client_min_messages = warning");
}

std::vector<std::string> Session::ask(const std::string& sql) {
  PGresult* result = PQexec(connection_.get(), sql.c_str());
  const ExecStatusType status = PQresultStatus(result);
  EXPECT_TRUE(status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
      << PQerrorMessage(connection_.get()) << sql;
  std::vector<std::string> rows;
  for (int row = 0; row < PQntuples(result); ++row) {
    std::string line;
    for (int column = 0; column < PQnfields(result); ++column) {
      if (column > 0) line += '|';
      line += PQgetisnull(result, row, column) != 0 ? "null" : PQgetvalue(result, row, column);
    }
    rows.push_back(line);
  }
  PQclear(result);
  return rows;
}

std::string Session::one(const std::string& sql) {
  const std::vector<std::string> rows = ask(sql);
  return rows.empty() ? "" : rows[0];
}

bool Session::try_to(const std::string& sql) {
  PGresult* result = PQexec(connection_.get(), sql.c_str());
  const ExecStatusType status = PQresultStatus(result);
  PQclear(result);
  return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

}  // namespace postgres_kit
