#include "wire.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace postgres_kit {
namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

bool send_all(int to, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t now = send(to, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) return false;
    sent += static_cast<std::size_t>(now);
  }
  return true;
}

std::uint32_t number_at(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::string number_of(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 255);
  return bytes;
}

std::string message_of(char type, const std::string& body) {
  return std::string(1, type) + number_of(static_cast<std::uint32_t>(body.size() + 4)) + body;
}

// A DataRow has a count of columns (2 bytes), then the length (4 bytes, -1: null) and the bytes of
// each column.
std::string other_row(const std::string& row, int column, Spoil how) {
  if (row[0] != 'D') return row;
  const int columns = static_cast<unsigned char>(row[5]) << 8 | static_cast<unsigned char>(row[6]);
  std::string body;
  std::size_t at = 7;
  const int kept = how == Spoil::fewer ? columns - 1 : columns;
  body += static_cast<char>(kept >> 8);
  body += static_cast<char>(kept & 255);
  for (int i = 0; i < columns; ++i) {
    const std::uint32_t length = number_at(row, at);
    const std::string value = length == UINT32_MAX ? "" : row.substr(at + 4, length);
    const std::string whole = row.substr(at, 4 + value.size());
    at += whole.size();
    if (i >= kept) break;
    if (i != column || how == Spoil::fewer) {
      body += whole;
    } else if (how == Spoil::null_value) {
      body += number_of(UINT32_MAX);
    } else {
      body += number_of(3) + "\\no";
    }
  }
  return message_of('D', body);
}

}  // namespace

Wire::Wire(const std::string& directory, std::string server_socket)
    : path_(directory + "/.s.PGSQL.5432"), server_socket_(std::move(server_socket)) {
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(path_);
  EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0)
      << path_;
  EXPECT_EQ(::listen(listener_, 16), 0);
  thread_ = std::thread([this] { listen(); });
}

Wire::~Wire() {
  ending_ = true;
  thread_.join();
  close(listener_);
  unlink(path_.c_str());
}

void Wire::spoil(Spoil how, int at, bool always, int column) {
  how_ = how;
  at_ = at;
  always_ = always;
  column_ = column;
  count_ = 0;
  columns_ = 0;
  hit_ = false;
  connections_ = batches_ = statements_ = 0;
  ++order_;
}

void Wire::listen() {
  std::vector<std::thread> connections;
  while (!ending_) {
    pollfd one = {listener_, POLLIN, 0};
    if (poll(&one, 1, 20) <= 0) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) connections.emplace_back([this, client] { serve(client); });
  }
  for (std::thread& each : connections) each.join();
}

// Counts the messages of a client. The first one, which begins a session, has no letter.
void Wire::count_asked(std::string& unread, bool& began, std::string_view more) {
  unread += more;
  for (;;) {
    const std::size_t letter = began ? 1 : 0;
    if (unread.size() < letter + 4 || unread.size() < letter + number_at(unread, letter)) return;
    if (!began) ++connections_;
    if (began && unread[0] == 'P') ++statements_;
    if (began && unread[0] == 'S') ++batches_;
    unread.erase(0, letter + number_at(unread, letter));
    began = true;
  }
}

void Wire::serve(int client) {
  const unsigned order = order_;
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = address_of(server_socket_);
  std::string pending;
  std::string asked;
  bool began = false;
  int in_connection = 0;
  bool going = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  while (going && !ending_ && order == order_) {
    if (cut_off_) {
      poll(nullptr, 0, 5);
      continue;
    }
    pollfd both[] = {{client, POLLIN, 0}, {server, POLLIN, 0}};
    if (poll(both, 2, 10) <= 0) continue;
    if (both[0].revents != 0) {
      char bytes[16384];
      const ssize_t got = read(client, bytes, sizeof bytes);
      const std::string some(bytes, got > 0 ? static_cast<std::size_t>(got) : 0);
      count_asked(asked, began, some);
      going = got > 0 && send_all(server, some);
    }
    if (going && both[1].revents != 0) going = pass(server, client, pending, in_connection);
  }
  close(client);
  close(server);
}

// Passes on the messages of the server. Each has a letter, a length that includes its own 4 bytes,
// and a body.
bool Wire::pass(int from, int to, std::string& pending, int& in_connection) {
  char bytes[16384];
  const ssize_t got = read(from, bytes, sizeof bytes);
  if (got <= 0) return false;
  pending.append(bytes, static_cast<std::size_t>(got));
  while (pending.size() >= 5 && pending.size() >= 1 + number_at(pending, 1)) {
    const std::size_t size = 1 + number_at(pending, 1);
    std::string message = pending.substr(0, size);
    pending.erase(0, size);
    const int overall = count_++;
    const int here = in_connection++;
    const bool this_one = how_ != Spoil::nothing && (always_ ? here : overall) == at_;
    if (this_one) {
      hit_ = true;
      if (message[0] == 'D') {
        columns_ =
            static_cast<unsigned char>(message[5]) << 8 | static_cast<unsigned char>(message[6]);
      }
    }
    if (!(this_one ? send_spoiled(to, std::move(message)) : send_all(to, message))) return false;
  }
  return true;
}

bool Wire::send_spoiled(int to, std::string message) {
  const char type = message[0];
  const std::string body = message.substr(5);
  switch (how_.load()) {
    case Spoil::nothing:
      break;
    case Spoil::drop:
      return true;
    case Spoil::cut:
      send_all(to, message.substr(0, message.size() / 2));
      return false;
    case Spoil::reset:
      return false;
    case Spoil::stall: {
      const unsigned order = order_;
      while (!ending_ && order == order_) poll(nullptr, 0, 5);
      return false;
    }
    case Spoil::empty:
      return send_all(to, message_of(type, ""));
    case Spoil::zeros:
      return send_all(to, message_of(type, std::string(body.size(), '\0')));
    case Spoil::ones:
      return send_all(to, message_of(type, std::string(body.size(), '\xff')));
    case Spoil::other_type:
      return send_all(to, message_of(type == 'C' ? 'D' : 'C', body));
    case Spoil::twice:
      return send_all(to, message + message);
    case Spoil::refuse:
      return send_all(to, message_of('E', std::string("SERROR\0VERROR\0C58000\0Mspoiled\0\0", 31)));
    case Spoil::null_value:
    case Spoil::text_value:
    case Spoil::fewer:
      return send_all(to, other_row(message, column_, how_));
  }
  return send_all(to, message);
}

}  // namespace postgres_kit
