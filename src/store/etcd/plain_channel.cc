// HTTP over TCP, without TLS or proxies.
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "channel.h"
#include "http.h"
#include "os/clock.h"
#include "os/fd.h"

namespace atmost::etcd {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kConnectNs = 2000 * kMillisecond;
// For an answer that nobody wants any more.
constexpr std::int64_t kSkipNs = 100 * kMillisecond;
constexpr const char* kLost = "the connection was lost";

enum class Ready : std::uint8_t { yes, time, interrupted, requests };

Ready wait_for(int fd, short events, std::int64_t until_boot_ns, int requests) {
  const std::int64_t left =
      std::clamp<std::int64_t>(until_boot_ns - os::boot_ns(), 0, 3'600'000 * kMillisecond);
  pollfd polled[] = {{fd, events, 0}, {requests, POLLIN, 0}};
  const int found = poll(polled, requests >= 0 ? 2 : 1,
                         static_cast<int>((left + kMillisecond - 1) / kMillisecond));
  if (found < 0) return Ready::interrupted;
  if (found == 0) return Ready::time;
  return polled[0].revents != 0 ? Ready::yes : Ready::requests;
}

// As above, until the descriptor is ready or the time has come.
bool await_ready(int fd, short events, std::int64_t until_boot_ns) {
  for (;;) {
    switch (wait_for(fd, events, until_boot_ns, -1)) {
      case Ready::yes:
        return true;
      case Ready::time:
        if (os::boot_ns() >= until_boot_ns) return false;
        break;
      default:
        break;
    }
  }
}

struct EndpointAddress {
  std::string host;
  std::string port;
};

// http://HOST:PORT, http://[V6]:PORT
EndpointAddress address_of(const std::string& endpoint) {
  const std::size_t from = endpoint.find("://") + 3;
  const std::size_t colon = endpoint.rfind(':');
  std::string host = endpoint.substr(from, colon - from);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {host, endpoint.substr(colon + 1)};
}

// A descriptor whose connection is under way or made; -1 with the trouble in `to`.
int connect_one(const addrinfo& address, std::int64_t until_boot_ns, Exchange& to) {
  os::Fd fd(socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                   address.ai_protocol));
  if (!fd.open()) {
    to.trouble = strerror(errno);
    return -1;
  }
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(fd.get(), address.ai_addr, address.ai_addrlen) != 0) {
    int error = errno;
    socklen_t size = sizeof error;
    if (error == EINPROGRESS) {
      error = ETIMEDOUT;
      if (await_ready(fd.get(), POLLOUT, until_boot_ns))
        getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error != 0) {
      to.trouble = strerror(error);
      to.lack = error == ECONNREFUSED ? Lack::server : Lack::other;
      return -1;
    }
  }
  return fd.release();
}

int connect_to(const std::string& endpoint, std::int64_t until_boot_ns, Exchange& to) {
  const EndpointAddress address = address_of(endpoint);
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int unknown = getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &found);
  if (unknown != 0) {
    to.trouble = gai_strerror(unknown);
    to.lack = unknown == EAI_NONAME ? Lack::name : Lack::other;
    return -1;
  }
  int fd = -1;
  for (const addrinfo* each = found; each != nullptr && fd < 0; each = each->ai_next) {
    fd = connect_one(*each, std::min(until_boot_ns, os::boot_ns() + kConnectNs), to);
  }
  freeaddrinfo(found);
  return fd;
}

std::string request_text(const Question& question) {
  const std::string host = question.endpoint.substr(question.endpoint.find("://") + 3);
  std::string text = "POST " + question.path + " HTTP/1.1\r\nHost: " + host + "\r\n";
  for (const std::string& header : question.headers) text += header + "\r\n";
  return text + "Content-Length: " + std::to_string(question.body.size()) + "\r\n\r\n" +
         question.body;
}

// False: not all of it was sent. `some`: a part was.
bool send_all(int fd, std::string_view text, std::int64_t until_boot_ns, bool& some) {
  while (!text.empty()) {
    const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      some = true;
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EINTR && (errno != EAGAIN || !await_ready(fd, POLLOUT, until_boot_ns))) {
      return false;
    }
  }
  return true;
}

class PlainFlow final : public Flow {
 public:
  explicit PlainFlow(const Question& question) : question_(question) {}

  Heard next(std::string& line, std::int64_t until_boot_ns, int requests) override;

 private:
  bool begin(std::int64_t until_boot_ns);
  bool take_line(std::string& line);

  Question question_;
  os::Fd fd_;
  HttpReader reader_;
  std::string body_;
};

bool PlainFlow::begin(std::int64_t until_boot_ns) {
  Exchange unused;
  bool some = false;
  fd_ = os::Fd(
      connect_to(question_.endpoint, std::min(until_boot_ns, os::boot_ns() + kConnectNs), unused));
  const int on = 1, idle = kProbeIdleS, pause = kProbePauseS, count = 3;
  if (fd_.open()) {
    setsockopt(fd_.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_KEEPINTVL, &pause, sizeof pause);
    setsockopt(fd_.get(), IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
  }
  return fd_.open() &&
         send_all(fd_.get(), request_text(question_), os::boot_ns() + kConnectNs, some);
}

bool PlainFlow::take_line(std::string& line) {
  const std::size_t newline = body_.find('\n');
  if (newline == std::string::npos) return false;
  line = body_.substr(0, newline);
  body_.erase(0, newline + 1);
  return true;
}

Heard PlainFlow::next(std::string& line, std::int64_t until_boot_ns, int requests) {
  line.clear();
  if (!fd_.open() && !begin(until_boot_ns)) return Heard::broken;
  for (;;) {
    if (take_line(line)) return Heard::line;
    if (os::boot_ns() >= until_boot_ns) return Heard::time;
    switch (wait_for(fd_.get(), POLLIN, until_boot_ns, requests)) {
      case Ready::interrupted:
      case Ready::requests:
        return Heard::interrupted;
      case Ready::time:
        continue;
      case Ready::yes:
        break;
    }
    char room[16384];
    const ssize_t got = recv(fd_.get(), room, sizeof room, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (got <= 0 || !reader_.feed({room, static_cast<std::size_t>(got)}, body_) || reader_.done()) {
      if (take_line(line)) return Heard::line;
      line = std::exchange(body_, {});
      return Heard::broken;
    }
  }
}

class PlainChannel final : public Channel {
 public:
  Exchange exchange(const Question& question, std::int64_t until_boot_ns,
                    const std::vector<Question>& behind) override;
  bool sends_behind() const override { return true; }
  Exchange next_answer(std::int64_t until_boot_ns) override;
  void hang_up() override;
  std::unique_ptr<Flow> flow(const Question& question) override {
    return std::make_unique<PlainFlow>(question);
  }

 private:
  bool ready(const std::string& endpoint, std::int64_t until_boot_ns, Exchange& to);
  void read_answer(std::int64_t until_boot_ns, Exchange& to);

  os::Fd fd_;
  std::string connected_;  // to this endpoint
  std::size_t owed_ = 0;   // answers that are still to come
  std::string unread_;     // what was received behind the last answer
};

void PlainChannel::hang_up() {
  fd_.reset();
  owed_ = 0;
  unread_.clear();
}

// The kept connection if the peer has not closed it, or a new one: never two at a time, because
// members limit their number.
bool PlainChannel::ready(const std::string& endpoint, std::int64_t until_boot_ns, Exchange& to) {
  if (connected_ != endpoint) hang_up();
  while (owed_ > 0) (void)next_answer(std::min(until_boot_ns, os::boot_ns() + kSkipNs));
  char byte;
  const bool stale = !fd_.open() || connected_ != endpoint ||
                     recv(fd_.get(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
  if (!stale) return true;
  hang_up();
  fd_ = os::Fd(connect_to(endpoint, until_boot_ns, to));
  connected_ = endpoint;
  return fd_.open();
}

Exchange PlainChannel::exchange(const Question& question, std::int64_t until_boot_ns,
                                const std::vector<Question>& behind) {
  Exchange to;
  if (!ready(question.endpoint, until_boot_ns, to)) return to;
  std::string text = request_text(question);
  for (const Question& each : behind) text += request_text(each);
  to.trouble = kLost;
  owed_ = behind.size();
  if (!send_all(fd_.get(), text, until_boot_ns, to.arrived)) hang_up();
  if (fd_.open()) read_answer(until_boot_ns, to);
  return to;
}

Exchange PlainChannel::next_answer(std::int64_t until_boot_ns) {
  Exchange to;
  to.arrived = true;
  to.trouble = kLost;
  if (owed_ == 0) return to;  // it went with the connection
  --owed_;
  read_answer(until_boot_ns, to);
  return to;
}

void PlainChannel::read_answer(std::int64_t until_boot_ns, Exchange& to) {
  HttpReader reader;
  to.trouble = kLost;
  bool ended = false;
  bool going_on = reader.feed(std::exchange(unread_, {}), to.body, &unread_);
  while (going_on && !reader.done()) {
    if (!await_ready(fd_.get(), POLLIN, until_boot_ns)) {
      to.trouble = "no answer in time";
      break;
    }
    char room[16384];
    const ssize_t got = recv(fd_.get(), room, sizeof room, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    ended = got == 0;
    going_on = got > 0 && reader.feed({room, static_cast<std::size_t>(got)}, to.body, &unread_);
  }
  if (reader.done() || (ended && reader.begun() && reader.end())) to.status = reader.status();
  to.date = reader.date();
  if (ended && !reader.begun()) {
    to.trouble = "the connection was closed without an answer";
    to.lack = Lack::protocol;
  }
  // Bytes behind the last answer: nobody asked for them.
  if (!going_on || !reader.stays() || (owed_ == 0 && !unread_.empty())) hang_up();
}

}  // namespace

std::unique_ptr<Channel> make_plain_channel() { return std::make_unique<PlainChannel>(); }

}  // namespace atmost::etcd
