#include "witness.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "fleet/job.h"

namespace fleet_kit {
namespace {

constexpr unsigned kHurriedMs = 2;
// Most commands are short; some outlive the first lease.
unsigned stay_ms(std::uint64_t token) {
  const std::uint64_t mixed = (token ^ token >> 7) * 0x9e3779b97f4a7c15ULL >> 33;
  return static_cast<unsigned>(mixed % 12 == 0 ? 2000 + mixed % 9000 : 20 + mixed % 180);
}

// True if a process has hung up, read already or not, as each that ended before now has.
bool gone(int fd) {
  char room[4096];
  ssize_t got = recv(fd, room, sizeof room, MSG_PEEK | MSG_DONTWAIT);
  if (got > 0) {
    pollfd polled = {fd, POLLRDHUP, 0};
    return poll(&polled, 1, 0) > 0 && (polled.revents & (POLLRDHUP | POLLHUP)) != 0;
  }
  return got == 0 || errno != EAGAIN;
}

}  // namespace

Witness::Witness(const std::string& path, std::uint32_t slots, bool own_time)
    : own_time_(own_time) {
  history_.slots = slots;
  listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
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
  while (!guests_.empty()) close_guest(guests_.begin()->first);
}

void Witness::sleeps(pid_t group) {
  const std::lock_guard locked(mutex_);
  sleepers_[group].insert(seconds_now());
}

void Witness::linger_on_host(unsigned host, double until) {
  const std::lock_guard locked(mutex_);
  for (auto& [fd, guest] : guests_) {
    if (guest.user.host == host) guest.user.until = std::max(guest.user.until, until);
  }
}

void Witness::linger(pid_t group, double until) {
  const std::lock_guard locked(mutex_);
  for (auto& [fd, guest] : guests_) {
    if (guest.user.group == group) guest.user.until = std::max(guest.user.until, until);
  }
}

std::vector<Witness::User> Witness::users() {
  const std::lock_guard locked(mutex_);
  std::vector<User> users;
  for (const auto& [fd, guest] : guests_) {
    if (guest.accepted) users.push_back(guest.user);
  }
  return users;
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
    take_line(fd, guest, line);
  }
  return true;
}

// "begin SLOT[,SLOT...] TOKEN PID GROUP HOST ASKED MOMENT", then "use MOMENT" again and again, and
// "end MOMENT". The answer is the milliseconds that it may stay, or "stale".
void Witness::take_line(int fd, Guest& guest, const std::string& line) {
  std::istringstream words(line);
  std::string verb, slots;
  double moment = 0;
  words >> verb;
  if (verb == "begin") {
    words >> slots >> guest.use.token >> guest.user.pid >> guest.user.group >> guest.user.host >>
        guest.use.asked;
    std::replace(slots.begin(), slots.end(), ',', ' ');
    std::istringstream numbers(slots);
    for (std::uint32_t slot; numbers >> slot;) guest.use.slots.push_back(slot);
    guest.user.slots = static_cast<std::uint32_t>(guest.use.slots.size());
  }
  words >> moment;
  if (words.fail() || guest.use.slots.empty()) abort();
  if (own_time_) moment = seconds_now();
  if (verb == "begin") guest.use.begun = guest.use.ended = moment;
  const bool right = verb == "begin" ? begin(fd, guest) : !stale(guest);
  if (right) seen(guest, moment);
  if (verb == "end") return;
  if (verb == "begin") guest.user.until = moment + stay_ms(guest.use.token) / 1000.0;
  const double until = hurry_ ? guest.use.begun + kHurriedMs / 1000.0 : guest.user.until;
  const int stay = std::max(0, static_cast<int>((until - guest.use.begun) * 1000));
  const std::string answer = right ? std::to_string(stay) + "\n" : "stale\n";
  (void)!send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
}

// When its host fell asleep first. The numbers of groups come again: a sleep from before it was
// started was another's.
const double* Witness::slept(const Guest& guest) const {
  const auto found = sleepers_.find(guest.user.group);
  if (found == sleepers_.end()) return nullptr;
  const auto moment = found->second.lower_bound(guest.use.asked);
  return moment != found->second.end() ? &*moment : nullptr;
}

// A use is known from its begin to its last sign of life, but not beyond the moment at which its
// host fell asleep.
void Witness::seen(Guest& guest, double moment) {
  if (const double* asleep = slept(guest)) moment = std::min(moment, *asleep);
  guest.use.ended = std::max(guest.use.ended, moment);
}

bool Witness::stale(Guest& guest) {
  bool late = guest.refused;
  for (std::uint32_t slot : guest.use.slots) late |= guest.use.token < highest_[slot];
  if (!late) return false;
  if (!guest.refused) {
    ++stale_;
    if (slept(guest) == nullptr) {
      ++stale_awake_;
      if (!own_time_)
        fprintf(stderr, "stale: process %d with token %llu came later than a larger one\n",
                guest.user.pid, static_cast<unsigned long long>(guest.use.token));
    }
  }
  guest.refused = true;
  return true;
}

bool Witness::begin(int fd, Guest& guest) {
  if (stale(guest)) return false;
  for (std::uint32_t slot : guest.use.slots) {
    const auto last = last_.find(slot);
    if (last != last_.end()) {
      const Guest& before = guests_[last->second];
      if (!before.refused && slept(before) == nullptr && !gone(last->second)) {
        ++overlaps_;
        if (!own_time_)
          fprintf(stderr,
                  "overlap: slot %u, process %d of token %llu was there when token %llu came\n",
                  slot, before.user.pid, static_cast<unsigned long long>(before.use.token),
                  static_cast<unsigned long long>(guest.use.token));
      }
    }
    highest_[slot] = guest.use.token;
    last_[slot] = fd;
  }
  guest.accepted = true;
  ++begun_;
  return true;
}

void Witness::close_guest(int fd) {
  const std::lock_guard locked(mutex_);
  const Guest& guest = guests_[fd];
  if (guest.accepted) history_.uses.push_back(guest.use);
  std::erase_if(last_, [fd](const auto& one) { return one.second == fd; });
  guests_.erase(fd);
  close(fd);
}

}  // namespace fleet_kit
