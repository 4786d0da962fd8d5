#include "witness.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <sstream>

#include "etcd/kit/job.h"

namespace etcd_kit {
namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

bool gone(int fd) {
  char byte;
  const ssize_t got = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got == 0 || (got < 0 && errno != EAGAIN);
}

std::string digits(double value) {
  char text[64];
  snprintf(text, sizeof text, "%.9f", value);
  return text;
}

}  // namespace

std::string contradiction(std::vector<Use> history, std::uint32_t slots) {
  std::sort(history.begin(), history.end(),
            [](const Use& one, const Use& other) { return one.token < other.token; });
  std::map<std::uint32_t, double> free_from;
  double moment = 0;
  std::uint64_t before = 0;
  for (const Use& use : history) {
    std::ostringstream what;
    what << "token " << use.token << " on slot " << use.slot << ": ";
    if (use.slot < 1 || use.slot > slots) return what.str() + "no such slot";
    if (use.token == before) return what.str() + "given twice";
    before = use.token;
    moment = std::max({moment, use.asked, free_from[use.slot]});
    if (moment > use.begun) return what.str() + "begun before it can have been granted";
    free_from[use.slot] = use.ended;  // not known: at once
  }
  return "";
}

Witness::Witness(const std::string& path, std::uint32_t slots) : slots_(slots) {
  listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(path);
  if (bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listening_, 512) != 0) {
    abort();
  }
  thread_ = std::thread([this] { run(); });
}

Witness::~Witness() {
  finish();
  close(listening_);
}

void Witness::finish() {
  ending_ = true;
  if (thread_.joinable()) thread_.join();
}

std::vector<pid_t> Witness::users() {
  const std::lock_guard locked(mutex_);
  std::vector<pid_t> pids;
  for (const auto& [fd, guest] : guests_) {
    if (guest.accepted) pids.push_back(guest.pid);
  }
  return pids;
}

void Witness::run() {
  while (!ending_) {
    std::vector<pollfd> polled = {{listening_, POLLIN, 0}};
    for (const auto& [fd, guest] : guests_) polled.push_back({fd, POLLIN, 0});
    if (poll(polled.data(), polled.size(), 100) <= 0) continue;
    for (std::size_t i = 1; i < polled.size(); ++i) {
      if (polled[i].revents != 0 && !hear(polled[i].fd)) close_guest(polled[i].fd);
    }
    if (polled[0].revents == 0) continue;
    const int fd = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    const std::lock_guard locked(mutex_);
    if (fd >= 0) guests_[fd] = {};
  }
}

bool Witness::hear(int fd) {
  char room[512];
  const ssize_t got = recv(fd, room, sizeof room, MSG_DONTWAIT);
  if (got <= 0) return got < 0 && errno == EAGAIN;
  const std::lock_guard locked(mutex_);
  Guest& guest = guests_[fd];
  guest.pending.append(room, static_cast<std::size_t>(got));
  for (std::size_t end; (end = guest.pending.find('\n')) != std::string::npos;) {
    const std::string line = guest.pending.substr(0, end);
    guest.pending.erase(0, end + 1);
    if (!take_line(fd, guest, line)) return true;
  }
  return true;
}

// "begin SLOT TOKEN PID ASKED" or "end MOMENT".
bool Witness::take_line(int fd, Guest& guest, const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  words >> verb;
  if (verb == "end") {
    words >> guest.use.ended;
    return true;
  }
  words >> guest.use.slot >> guest.use.token >> guest.pid >> guest.use.asked;
  guest.use.begun = seconds_now();
  std::uint64_t& highest = highest_[guest.use.slot];
  if (guest.use.token <= highest) {
    ++stale_;
    return send(fd, "stale\n", 6, MSG_NOSIGNAL) > 0;
  }
  highest = guest.use.token;
  // Whoever has ended before this one began has hung up before, whether we have heard it or not.
  const auto last = user_.find(guest.use.slot);
  if (last != user_.end() && guests_.contains(last->second) && !gone(last->second)) {
    ++overlaps_;
    fprintf(stderr, "overlap: slot %u, process %d of token %llu was there when token %llu came\n",
            guest.use.slot, guests_[last->second].pid,
            static_cast<unsigned long long>(guests_[last->second].use.token),
            static_cast<unsigned long long>(guest.use.token));
  }
  user_[guest.use.slot] = fd;
  guest.accepted = true;
  ++begun_;
  return send(fd, "ok\n", 3, MSG_NOSIGNAL) > 0;
}

void Witness::close_guest(int fd) {
  const std::lock_guard locked(mutex_);
  const Guest& guest = guests_[fd];
  if (guest.accepted) history_.push_back(guest.use);
  const auto user = user_.find(guest.use.slot);
  if (user != user_.end() && user->second == fd) user_.erase(user);
  guests_.erase(fd);
  close(fd);
}

int use_slot(const char* path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(path);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return 2;
  const std::string hello = std::string("begin ") + getenv("ATMOST_SLOT") + " " + getenv("ATMOST_TOKEN") +
                            " " + std::to_string(getpid()) + " " + getenv("WITNESS_ASKED") + "\n";
  if (send(fd, hello.data(), hello.size(), MSG_NOSIGNAL) < 0) return 2;
  char answer[16];
  const ssize_t got = recv(fd, answer, sizeof answer, 0);
  if (got <= 0 || answer[0] != 'o') return 1;
  std::mt19937 random(static_cast<unsigned>(getpid()));
  pollfd polled = {fd, POLLIN, 0};
  poll(&polled, 1, static_cast<int>(5 + random() % 60));
  const std::string farewell = "end " + digits(seconds_now()) + "\n";
  if (send(fd, farewell.data(), farewell.size(), MSG_NOSIGNAL) < 0) return 2;
  return 0;
}

}  // namespace etcd_kit
