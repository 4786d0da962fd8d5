#include "stream.h"

#include <poll.h>
#include <sys/select.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "os/clock.h"

namespace atmost::etcd {
namespace {

constexpr std::size_t kLongestLine = 16u << 20;
constexpr std::int64_t kMillisecond = 1'000'000;
// While there is no descriptor to wait for (a name is being looked up).
constexpr std::int64_t kLookNs = 10 * kMillisecond;

}  // namespace

bool Stream::open(const std::string& path, const std::string& body) {
  close();
  multi_ = curl_multi_init();
  handle_ = gateway_.prepare(path, body, headers_);
  if (multi_ == nullptr || handle_ == nullptr) {
    close();
    return false;
  }
  curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(handle_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(handle_, CURLOPT_CONNECTTIMEOUT_MS, 2000L);
  curl_easy_setopt(handle_, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_multi_add_handle(multi_, handle_);
  return true;
}

void Stream::close() {
  if (multi_ != nullptr && handle_ != nullptr) curl_multi_remove_handle(multi_, handle_);
  curl_easy_cleanup(handle_);
  if (multi_ != nullptr) curl_multi_cleanup(multi_);
  curl_slist_free_all(headers_);
  multi_ = nullptr;
  handle_ = nullptr;
  headers_ = nullptr;
  partial_.clear();
  lines_.clear();
}

std::size_t Stream::receive(char* from, std::size_t, std::size_t size, void* self) {
  Stream& stream = *static_cast<Stream*>(self);
  for (std::size_t i = 0; i < size; ++i) {
    if (from[i] != '\n') {
      stream.partial_.push_back(from[i]);
    } else {
      stream.lines_.push_back(std::move(stream.partial_));
      stream.partial_.clear();
    }
  }
  return stream.partial_.size() > kLongestLine ? 0 : size;
}

// False once the stream has ended.
bool Stream::pump() {
  int running = 0;
  return curl_multi_perform(multi_, &running) == CURLM_OK && running > 0;
}

int Stream::wait(std::int64_t until_boot_ns, int bell) {
  fd_set reading, writing, failing;
  FD_ZERO(&reading);
  FD_ZERO(&writing);
  FD_ZERO(&failing);
  int highest = -1;
  curl_multi_fdset(multi_, &reading, &writing, &failing, &highest);
  std::vector<pollfd> polled;
  if (bell >= 0) polled.push_back({bell, POLLIN, 0});
  for (int fd = 0; fd <= highest; ++fd) {
    const int events = (FD_ISSET(fd, &reading) ? POLLIN : 0) | (FD_ISSET(fd, &writing) ? POLLOUT : 0);
    if (events != 0) polled.push_back({fd, static_cast<short>(events), 0});
  }
  long span = -1;
  curl_multi_timeout(multi_, &span);
  std::int64_t end = until_boot_ns;
  const std::int64_t now = os::boot_ns();
  if (highest < 0) end = std::min(end, now + kLookNs);
  if (span >= 0) end = std::min(end, now + span * kMillisecond);
  const std::int64_t left = std::clamp<std::int64_t>(end - now, 0, 3'600'000 * kMillisecond);
  const int found =
      poll(polled.data(), polled.size(), static_cast<int>((left + kMillisecond - 1) / kMillisecond));
  if (found < 0) return errno;
  return found > 0 && bell >= 0 && polled[0].revents != 0 ? 1 : 0;
}

Stream::Heard Stream::next(std::string& line, std::int64_t until_boot_ns, int bell) {
  line.clear();
  if (!is_open()) return Heard::broken;
  for (;;) {
    const bool going_on = pump();
    if (!lines_.empty()) {
      line = std::move(lines_.front());
      lines_.pop_front();
      return Heard::line;
    }
    if (!going_on) {
      line = std::move(partial_);
      partial_.clear();
      return Heard::broken;
    }
    if (os::boot_ns() >= until_boot_ns) return Heard::time;
    const int woken = wait(until_boot_ns, bell);
    if (woken != 0) return Heard::interrupted;
  }
}

}  // namespace atmost::etcd
