#include "fault_proxy.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace etcd_kit {
namespace {

using Json = nlohmann::json;

int listen_somewhere(std::uint16_t& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(fd, 256) != 0) return -1;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return fd;
}

int connect_to(const std::string& host) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(host.substr(host.rfind(':') + 1))));
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

bool send_all(int fd, const std::string& text) {
  std::size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t now = send(fd, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return false;
    sent += static_cast<std::size_t>(now);
  }
  return true;
}

bool reply(int fd, long status, const std::string& body) {
  return send_all(fd, "HTTP/1.1 " + std::to_string(status) +
                          " -\r\nContent-Type: application/json\r\nContent-Length: " +
                          std::to_string(body.size()) + "\r\n\r\n" + body);
}

void reset(int fd) {
  const linger now = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

std::size_t receive(char* from, std::size_t, std::size_t size, void* to) {
  static_cast<std::string*>(to)->append(from, size);
  return size;
}

// One request from the connection: headers, and a body as long as they say.
bool read_request(int fd, std::string& pending, std::string& path, std::string& body, std::string& whole) {
  char room[65536];
  std::size_t end;
  while ((end = pending.find("\r\n\r\n")) == std::string::npos) {
    const ssize_t got = recv(fd, room, sizeof room, 0);
    if (got <= 0) return false;
    pending.append(room, static_cast<std::size_t>(got));
  }
  std::size_t length = 0;
  const std::size_t at = pending.find("Content-Length: ");
  if (at < end) length = std::stoul(pending.substr(at + 16));
  while (pending.size() < end + 4 + length) {
    const ssize_t got = recv(fd, room, sizeof room, 0);
    if (got <= 0) return false;
    pending.append(room, static_cast<std::size_t>(got));
  }
  const std::size_t from = pending.find(' ') + 1;
  path = pending.substr(from, pending.find(' ', from) - from);
  body = pending.substr(end + 4, length);
  whole = pending.substr(0, end + 4 + length);
  pending.erase(0, end + 4 + length);
  return true;
}

void collect(Json& json, std::vector<std::pair<Json*, std::string>>& members) {
  if (json.is_array()) {
    for (Json& each : json) collect(each, members);
  }
  if (!json.is_object()) return;
  for (auto member = json.begin(); member != json.end(); ++member) {
    members.emplace_back(&json, member.key());
    collect(member.value(), members);
  }
}

std::string without_a_member(const std::string& body, std::uint32_t dice) {
  Json json = Json::parse(body, nullptr, false);
  std::vector<std::pair<Json*, std::string>> members;
  if (!json.is_discarded()) collect(json, members);
  if (members.empty()) return "{}";
  const auto& [object, name] = members[dice % members.size()];
  object->erase(name);
  return json.dump();
}

}  // namespace

FaultProxy::FaultProxy(std::string upstream) : upstream_(std::move(upstream)), random_(20240229) {
  listening_ = listen_somewhere(port_);
  acceptor_ = std::thread([this] { accept_all(); });
}

FaultProxy::~FaultProxy() {
  ending_ = true;
  shutdown(listening_, SHUT_RDWR);
  acceptor_.join();
  close(listening_);
  while (serving_ > 0) {
    {
      const std::lock_guard locked(mutex_);
      for (int fd : open_) shutdown(fd, SHUT_RDWR);
    }
    std::this_thread::yield();
  }
}

void FaultProxy::accept_all() {
  while (!ending_) {
    const int fd = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    ++serving_;
    {
      const std::lock_guard locked(mutex_);
      open_.insert(fd);
    }
    std::thread([this, fd] {
      serve(fd);
      {
        const std::lock_guard locked(mutex_);
        open_.erase(fd);
        close(fd);
      }
      --serving_;
    }).detach();
  }
}

Fault FaultProxy::choose() {
  const std::lock_guard locked(mutex_);
  if (random_() % 100 >= percent_) return Fault::none;
  const Fault only = only_;
  return only != Fault::none ? only : static_cast<Fault>(1 + random_() % kFaults);
}

void FaultProxy::serve(int fd) {
  std::string pending, path, body, whole;
  while (!ending_ && read_request(fd, pending, path, body, whole)) {
    if (path.ends_with("/watch")) {
      if (choose() == Fault::none) {
        tunnel(fd, whole);
      } else {
        ++injected_;
      }
      return;
    }
    if (!answer(fd, path, body)) return;
  }
}

// False: the connection is over.
bool FaultProxy::answer(int fd, const std::string& path, const std::string& body) {
  const Fault fault = choose();
  if (fault != Fault::none) ++injected_;
  if (fault == Fault::reset_before) {
    reset(fd);
    return false;
  }
  if (fault == Fault::unavailable) return reply(fd, 503, "{\"error\":\"planted\",\"code\":14}");
  CURL* const handle = curl_easy_init();
  std::string got;
  curl_easy_setopt(handle, CURLOPT_URL, ("http://" + upstream_ + path).c_str());
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &got);
  const CURLcode code = curl_easy_perform(handle);
  long status = 502;
  if (code == CURLE_OK) curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_cleanup(handle);
  std::uint32_t dice;
  {
    const std::lock_guard locked(mutex_);
    dice = static_cast<std::uint32_t>(random_());
  }
  switch (fault) {
    case Fault::empty:
      return reply(fd, 200, "");
    case Fault::truncated:
      return reply(fd, 200, got.substr(0, got.empty() ? 0 : dice % got.size()));
    case Fault::no_field:
      return reply(fd, status, without_a_member(got, dice));
    case Fault::reset_after:
      reset(fd);
      return false;
    case Fault::stall: {
      pollfd polled = {fd, POLLIN | POLLRDHUP, 0};
      poll(&polled, 1, 30'000);
      return false;
    }
    default:
      return reply(fd, status, got);
  }
}

void FaultProxy::tunnel(int fd, const std::string& request) {
  const int up = connect_to(upstream_);
  if (up < 0 || !send_all(up, request)) return;
  char room[65536];
  for (;;) {
    pollfd polled[] = {{fd, POLLIN, 0}, {up, POLLIN, 0}};
    if (poll(polled, 2, 1000) < 0 || ending_) break;
    bool over = false;
    for (int i = 0; i < 2; ++i) {
      if (polled[i].revents == 0) continue;
      const ssize_t got = recv(polled[i].fd, room, sizeof room, 0);
      over = over || got <= 0 || !send_all(polled[1 - i].fd, {room, static_cast<std::size_t>(got)});
    }
    if (over) break;
  }
  close(up);
}

}  // namespace etcd_kit
