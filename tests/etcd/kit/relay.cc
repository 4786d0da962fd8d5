#include "relay.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace etcd_kit {
namespace {

constexpr int kLookMs = 50;  // how soon the end is noticed

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void send_text(int fd, const std::string& text) {
  if (send(fd, text.data(), text.size(), MSG_NOSIGNAL) < 0) {
  }
}

// The first request's head, at most.
std::string read_head(int fd) {
  std::string head;
  char byte;
  while (head.find("\r\n\r\n") == std::string::npos && head.size() < 65536 &&
         recv(fd, &byte, 1, 0) == 1)
    head += byte;
  return head;
}

// "version":"3.4.23" becomes "version":"3.6.99": as long as it was.
void pretend(std::string& text) {
  const std::string sign = "\"version\":\"3.";
  const std::size_t at = text.find(sign);
  if (at == std::string::npos) return;
  const std::size_t minor = at + sign.size();
  const std::size_t end = text.find('"', minor);
  if (end == std::string::npos || end < minor + 3) return;
  text.replace(minor, end - minor, "6." + std::string(end - minor - 2, '9'));
}

}  // namespace

Relay::Relay(const std::string& server, std::string missing)
    : server_port_(static_cast<std::uint16_t>(atoi(server.substr(server.rfind(':') + 1).c_str()))),
      missing_(std::move(missing)),
      listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener_, 64) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    abort();
  }
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { accept_all(); });
}

Relay::~Relay() {
  ending_ = true;
  accepting_.join();
  for (std::thread& one : served_) one.join();
  close(listener_);
}

int Relay::seen(const std::string& bytes) {
  const std::lock_guard locked(mutex_);
  int count = 0;
  for (std::size_t at = 0; (at = sent_.find(bytes, at)) != std::string::npos; at += bytes.size())
    ++count;
  return count;
}

void Relay::accept_all() {
  while (!ending_) {
    pollfd polled = {listener_, POLLIN, 0};
    if (poll(&polled, 1, kLookMs) <= 0) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    ++connections_;
    const std::lock_guard locked(mutex_);
    served_.emplace_back([this, client] { serve(client); });
  }
}

// False: that end is closed.
bool Relay::pass(int from, int to, bool from_client) {
  char bytes[16384];
  const ssize_t got = recv(from, bytes, sizeof bytes, 0);
  if (got <= 0) return false;
  std::string text(bytes, static_cast<std::size_t>(got));
  // Date: Sat, 21 Nov 2026 …
  const std::size_t year = text.find("Date: ") + 18;
  if (!from_client && years_ != 0 && year > 18 && year + 4 < text.size())
    text.replace(year, 4, std::to_string(atoi(text.substr(year, 4).c_str()) + years_));
  if (!from_client && pretends_) pretend(text);
  if (from_client) {
    const std::lock_guard locked(mutex_);
    sent_ += text;
  }
  if (from_client && late_ms_ > 0 && text.find("requestPut") != std::string::npos) ++held_back_;
  if (!from_client && held_back_ > answered_late_) {
    answered_late_ = held_back_.load();
    usleep(static_cast<useconds_t>(late_ms_ * 1000));
  }
  send_text(to, text);
  return true;
}

void Relay::serve(int client) {
  const std::string head = read_head(client);
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(server_port_);
  const bool there =
      connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  bool open = there && !head.empty();
  if (open && head.starts_with("CONNECT ")) {
    send_text(client, "HTTP/1.1 200 OK\r\n\r\n");
  } else if (open && !missing_.empty() && head.starts_with("POST " + missing_)) {
    send_text(client, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    open = false;
  } else if (open) {
    send_text(server, head);
  }
  {
    const std::lock_guard locked(mutex_);
    sent_ += head;
  }
  while (open && !ending_) {
    pollfd polled[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    if (poll(polled, 2, kLookMs) <= 0) continue;
    if (polled[0].revents != 0) open = pass(client, server, true);
    if (open && polled[1].revents != 0) open = pass(server, client, false);
  }
  close(client);
  close(server);
}

}  // namespace etcd_kit
