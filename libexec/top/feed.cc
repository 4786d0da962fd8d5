#include "feed.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <optional>

#include "reader/output.h"

namespace atmost::top {
namespace {

constexpr std::size_t kMostOutput = std::size_t{64}
                                    << 20;  // of a hundred thousand holders and more

int code_of(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 128;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The descriptors of the screen are close-on-exec or its terminal, which the job does not get.
int spawn(const std::vector<std::string>& words, int output, pid_t& child) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&streams, output, 1);
  posix_spawn_file_actions_adddup2(&streams, output, 2);
  posix_spawnattr_t apart;
  posix_spawnattr_init(&apart);
  sigset_t all;
  sigset_t none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(&apart, &all);
  posix_spawnattr_setsigmask(&apart, &none);
  posix_spawnattr_setflags(&apart,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  const int error = posix_spawnp(&child, argv[0], &streams, &apart, argv.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  posix_spawnattr_destroy(&apart);
  return error;
}

}  // namespace

Job::~Job() {
  if (pid_ <= 0) return;
  kill(pid_, SIGTERM);
  from_.reset();
  (void)code_of(pid_);
}

void Job::start(const std::vector<std::string>& argv) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    throw history::Failure(Code::unavailable, std::string("pipe: ") + strerror(errno));
  from_ = os::Fd(ends[0]);
  const os::Fd to(ends[1]);
  // The other end is the program's own, which expects it to block.
  (void)fcntl(to.get(), F_SETFL, 0);
  output_.clear();
  const int error = spawn(argv, to.get(), pid_);
  if (error == 0) return;
  pid_ = 0;
  from_.reset();
  throw history::Failure(Code::unavailable, argv[0] + ": " + strerror(error));
}

bool Job::take() {
  char some[16384];
  for (;;) {
    const ssize_t got = read(from_.get(), some, sizeof some);
    if (got > 0) {
      if (output_.size() < kMostOutput) output_.append(some, static_cast<std::size_t>(got));
      continue;
    }
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return false;
    from_.reset();
    code_ = code_of(pid_);
    pid_ = 0;
    return true;
  }
}

void Job::leave_alone() {
  pid_ = 0;
  from_.reset();
}

namespace {

using Json = nlohmann::json;

std::string text(const Json& from, const char* name) {
  const auto at = from.find(name);
  return at != from.end() && at->is_string() ? at->get<std::string>() : std::string();
}

template <class Number>
std::optional<Number> number_in(const Json& from, const char* name) {
  const auto at = from.find(name);
  if (at == from.end() || !at->is_number()) return std::nullopt;
  return at->get<Number>();
}

Row row_of(const Json& from) {
  Row row;
  row.lock = text(from, "lock");
  row.state = text(from, "state");
  row.user = text(from, "user");
  row.id = text(from, "id");
  row.command = text(from, "path");
  if (row.command.empty()) row.command = text(from, "command");
  row.host = text(from, "host");
  row.slot = number_in<std::uint64_t>(from, "slot").value_or(0);
  row.position = number_in<std::uint64_t>(from, "position").value_or(0);
  row.token = number_in<std::uint64_t>(from, "token").value_or(0);
  row.pid = number_in<std::int64_t>(from, "pid").value_or(0);
  row.age_s = number_in<double>(from, "age_s");
  row.expires_s = number_in<double>(from, "expires_s");
  const auto verified = from.find("verified");
  row.verified = verified != from.end() && verified->is_boolean() && verified->get<bool>();
  return row;
}

}  // namespace

std::vector<Row> rows_of(std::string_view output) {
  std::vector<Row> rows;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const Json line = Json::parse(output.substr(0, end), nullptr, false);
    if (line.is_object() && line.contains("lock") && line["lock"].is_string())
      rows.push_back(row_of(line));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return rows;
}

}  // namespace atmost::top
