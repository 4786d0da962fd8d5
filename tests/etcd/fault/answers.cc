// Answers over a socket, and everything that can be wrong with them.
#include <poll.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>

#include "proxy.h"

namespace etcd_kit {
namespace {

// However slowly it is polled, a caller that has gone ends it.
bool gone(int fd, int milliseconds) {
  pollfd polled = {fd, POLLRDHUP, 0};
  return poll(&polled, 1, milliseconds) != 0;
}

std::string headed(const std::string& status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n" + headers + "\r\n" + body;
}

std::string length_of(std::size_t size) {
  return "Content-Length: " + std::to_string(size) + "\r\n";
}

std::string plain(const std::string& status, const std::string& body) {
  return headed(status, length_of(body.size()), body);
}

const char* one_of(const std::initializer_list<const char*>& texts, std::uint32_t dice) {
  return *(texts.begin() + dice % texts.size());
}

std::string chunk(const std::string& body) {
  char size[32];
  snprintf(size, sizeof size, "%zx\r\n", body.size());
  return size + body + "\r\n";
}

// Now and then fast enough to be in time.
bool drip(int fd, const std::string& text, std::uint32_t dice) {
  const std::size_t step = dice % 4 == 0 ? text.size() / 8 + 1 : 1;
  for (std::size_t at = 0; at < text.size(); at += step) {
    if (!send_all(fd, std::string_view(text).substr(at, step)) || gone(fd, 10)) return false;
  }
  return true;
}

bool send_and_close(int fd, const std::string& text) {
  send_all(fd, text);
  return false;
}

}  // namespace

bool send_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void reset(int fd) {
  const linger now = {1, 0};
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

void stall(int fd) { (void)gone(fd, 30'000); }

bool is_of_body(Fault fault) {
  return fault == Fault::none || fault == Fault::empty || fault == Fault::truncated ||
         fault == Fault::trailing || fault == Fault::error_in_200 || fault == Fault::stale ||
         fault == Fault::of_another || fault == Fault::field;
}

bool is_before(const Plan& plan) {
  if (plan.fault == Fault::reset_before || plan.fault == Fault::stall_before) return true;
  return plan.fault >= Fault::status_400 && plan.fault <= Fault::error_in_200 && plan.dice % 2 == 0;
}

bool send_answer(int fd, const Plan& plan, long status, const std::string& body) {
  const std::string good = plain(std::to_string(status) + " -", body);
  const std::string planted = R"({"error":"planted","message":"planted","code":9})";
  switch (plan.fault) {
    case Fault::status_400:
      return send_all(fd, plain("400 Bad Request", planted));
    case Fault::status_401:
      return send_all(
          fd, plain("401 Unauthorized", R"({"error":"etcdserver: invalid auth token","code":16})"));
    case Fault::status_404:
      return send_all(fd, plain("404 Not Found", plan.dice / 2 % 2 == 0 ? "Not Found\n" : planted));
    case Fault::status_500:
      return send_all(fd, plain("500 Internal Server Error", planted));
    case Fault::status_503:
      return send_all(
          fd, plain("503 Service Unavailable", R"({"error":"etcdserver: no leader","code":14})"));
    case Fault::status_503_text:
      return send_all(fd, plain("503 Service Unavailable", "<html>down\x1b[2J</html>\n"));
    case Fault::status_204:
      return send_all(fd, headed("204 No Content", "", ""));
    case Fault::status_302:
      return send_all(fd,
                      headed("302 Found", "Location: http://127.0.0.1:1/\r\n" + length_of(0), ""));
    case Fault::length_short:
      return send_all(fd, headed("200 OK", length_of(body.size() / 2), body));
    case Fault::length_long:
      return send_and_close(fd, headed("200 OK", length_of(body.size() + 100), body));
    case Fault::length_wild: {
      const char* wild = one_of(
          {"99999999999999999999", "-5", "", "0x20", "1e3", "18446744073709551615"}, plan.dice);
      return send_all(fd, headed("200 OK", std::string("Content-Length: ") + wild + "\r\n", body));
    }
    case Fault::lengths_two:
      return send_all(fd,
                      headed("200 OK", length_of(body.size()) + length_of(body.size() - 1), body));
    case Fault::length_and_chunks:
      return send_all(fd,
                      headed("200 OK", "Transfer-Encoding: chunked\r\n" + length_of(body.size()),
                             chunk(body) + "0\r\n\r\n"));
    case Fault::chunk_size_wild: {
      const char* wild =
          one_of({"zz", "-5", "ffffffffffffffff", "", "10000000000000000", " "}, plan.dice);
      return send_all(fd, headed("200 OK", "Transfer-Encoding: chunked\r\n",
                                 std::string(wild) + "\r\n" + body + "\r\n0\r\n\r\n"));
    }
    case Fault::chunk_end_missing:
      return send_all(fd, headed("200 OK", "Transfer-Encoding: chunked\r\n",
                                 chunk(body).substr(0, chunk(body).size() - 2) + "x\r\n0\r\n\r\n"));
    case Fault::chunks_cut:
      return send_and_close(fd, headed("200 OK", "Transfer-Encoding: chunked\r\n", chunk(body)));
    case Fault::to_end_cut:
      return send_and_close(
          fd,
          headed("200 OK", "", body.substr(0, plan.dice % std::max<std::size_t>(body.size(), 1))));
    case Fault::header_endless:
      return send_all(fd, "HTTP/1.1 200 OK\r\nX: " + std::string(1u << 20, 'x'));
    case Fault::bytes: {
      std::string noise;
      for (std::uint32_t i = 0, state = plan.dice | 1; i < 300; ++i) {
        state = state * 1664525 + 1013904223;
        noise.push_back(static_cast<char>(state >> 24));
      }
      return send_and_close(fd, noise);
    }
    case Fault::drip:
      return drip(fd, good, plan.dice);
    case Fault::stall_before:
    case Fault::stall_after:
      stall(fd);
      return false;
    case Fault::reset_within:
      send_all(fd, std::string_view(good).substr(0, good.size() / 2));
      reset(fd);
      return false;
    case Fault::reset_before:
    case Fault::reset_after:
      reset(fd);
      return false;
    default:
      return send_all(fd, good);
  }
}

}  // namespace etcd_kit
