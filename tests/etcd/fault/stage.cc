#include "stage.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "etcd/kit/cluster.h"
#include "fleet/job.h"
#include "store/etcd/wire.h"

namespace etcd_kit {
namespace {

using namespace fleet_kit;

using Json = nlohmann::json;
using atmost::etcd::base64;

int listen_at(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(fd, 16) != 0)
    abort();
  return fd;
}

std::vector<std::string> environment(const std::string& store, const char* timeout) {
  std::vector<std::string> to;
  for (char** each = environ; *each != nullptr; ++each) {
    if (std::string_view(*each).starts_with("ATMOST_") &&
        !std::string_view(*each).starts_with("ATMOST_BIN"))
      continue;
    to.emplace_back(*each);
  }
  to.push_back("ATMOST_STORE=" + store);
  to.push_back(std::string("ATMOST_ETCD_TIMEOUT=") + timeout);
  return to;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> to;
  for (std::string& word : words) to.push_back(word.data());
  to.push_back(nullptr);
  return to;
}

void drain(Process& process) {
  char room[4096];
  for (ssize_t got; (got = read(process.output, room, sizeof room)) > 0;)
    process.said.append(room, static_cast<std::size_t>(got));
}

Json ask(const std::string& etcd, const std::string& path, const std::string& body) {
  for (int tries = 0; tries < 5; ++tries) {
    const std::string text = fetch(etcd, path, body.c_str(), 10'000);
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_discarded() && json.contains("header")) return json;
  }
  return {};
}

}  // namespace

std::uint64_t Guest::token() const {
  return std::strtoull(said.c_str() + std::min(said.size(), said.find(' ')), nullptr, 10);
}

Stage::Stage(const std::string& etcd, const std::string& directory, unsigned number)
    : etcd_(etcd),
      socket_path_(directory + "/" + std::to_string(number)),
      number_(number),
      proxy_(etcd) {
  listening_ = listen_at(socket_path_);
}

Stage::~Stage() {
  for (const auto& [fd, guest] : guests_) close(fd);
  close(listening_);
  unlink(socket_path_.c_str());
}

Process Stage::start(Way way, const std::string& prefix, std::vector<std::string> words,
                     const std::string& label, int code) {
  words.insert(words.begin(), atmost_program());
  if (!label.empty()) {
    const std::vector<std::string> command = {getenv("ATMOST_FAULT_COMMAND"), socket_path_, label,
                                              std::to_string(code)};
    words.insert(words.end(), command.begin(), command.end());
  }
  const std::string host = way == Way::harmed ? proxy_.host() : etcd_;
  std::vector<std::string> variables =
      environment("etcd://" + host + prefix, way == Way::harmed ? "400ms" : "10s");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) abort();
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], 1);
  posix_spawn_file_actions_adddup2(&files, ends[1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  Process process;
  process.output = ends[0];
  if (posix_spawn(&process.pid, words[0].c_str(), &files, &attributes, pointers(words).data(),
                  pointers(variables).data()) != 0)
    abort();
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  process.pidfd = static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0));
  return process;
}

bool Stage::hear(int fd, Event& event) {
  Guest& guest = guests_[fd];
  char room[256];
  const ssize_t got = read(fd, room, sizeof room);
  if (got <= 0) {
    event = {What::gone, guest.label(), guest.token()};
    close(fd);
    guests_.erase(fd);
    return true;
  }
  guest.said.append(room, static_cast<std::size_t>(got));
  event = {What::began, guest.label(), guest.token()};
  return guest.said.back() == '\n';
}

Stage::Event Stage::next(Process& process, double until) {
  for (;;) {
    std::vector<pollfd> polled = {{listening_, POLLIN, 0}};
    for (const auto& [fd, guest] : guests_) polled.push_back({fd, POLLIN, 0});
    if (process.pidfd >= 0) polled.push_back({process.pidfd, POLLIN, 0});
    if (process.pidfd >= 0) polled.push_back({process.output, POLLIN, 0});
    const double left = until - seconds_now();
    if (left <= 0 || poll(polled.data(), polled.size(), static_cast<int>(left * 1000) + 1) == 0)
      return {};
    if (polled[0].revents != 0) {
      const int fd = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
      if (fd >= 0) guests_[fd].fd = fd;
      continue;
    }
    for (const pollfd& each : polled) {
      Event event;
      if (each.revents == 0 || !guests_.contains(each.fd)) continue;
      if (hear(each.fd, event)) return event;
    }
    if (process.pidfd < 0) continue;
    drain(process);
    int status = 0;
    if (waitpid(process.pid, &status, WNOHANG) != process.pid) continue;
    drain(process);
    process.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    close(process.pidfd);
    close(process.output);
    process.pidfd = process.output = -1;
    return {What::ended, "", 0};
  }
}

bool Stage::let_go(const std::string& label) {
  for (auto& [fd, guest] : guests_) {
    if (guest.label() != label) continue;
    const bool told = send(fd, "x", 1, MSG_NOSIGNAL) == 1;
    close(fd);
    guests_.erase(fd);
    return told;
  }
  return false;
}

void Stage::kill_all(Process& process) {
  if (process.pidfd < 0) return;
  kill(-process.pid, SIGKILL);
  waitpid(process.pid, nullptr, 0);
  close(process.pidfd);
  close(process.output);
  process.pidfd = process.output = -1;
}

Kept Stage::kept(const std::string& key) const {
  const Json json = ask(etcd_, "/v3/kv/range", "{\"key\":\"" + base64(key) + "\"}");
  if (!json.contains("kvs")) return {};
  const Json& first = json["kvs"][0];
  return {std::stoull(first.value("create_revision", "0")), std::stoll(first.value("lease", "0"))};
}

bool Stage::truly_held(const std::string& prefix, std::uint64_t token, const char* lock) const {
  const Kept held = kept(prefix + "/" + lock + ".lock/a/h/000001");
  if (token == 0 || held.created != token || held.lease == 0) return false;
  const Json json =
      ask(etcd_, "/v3/lease/timetolive", "{\"ID\":\"" + std::to_string(held.lease) + "\"}");
  return json.contains("grantedTTL") && std::stoll(json.value("TTL", "0")) >= 0;
}

bool Stage::any_waiter(const std::string& prefix) const {
  const std::string from = prefix + "/lock.lock/w/";
  return ask(etcd_, "/v3/kv/range",
             "{\"key\":\"" + base64(from) + "\",\"range_end\":\"" +
                 base64(atmost::etcd::end_of_prefix(from)) + "\",\"count_only\":true}")
      .contains("count");
}

}  // namespace etcd_kit
