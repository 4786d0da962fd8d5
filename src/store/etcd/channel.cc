#include "channel.h"

#include <curl/curl.h>
#include <poll.h>
#include <strings.h>
#include <sys/select.h>
#include <sys/socket.h>

#include <algorithm>
#include <deque>

#include "no_answer.h"
#include "os/clock.h"

namespace atmost::etcd {
namespace {

constexpr std::size_t kMostBytes = 64u << 20;
constexpr std::int64_t kMillisecond = 1'000'000;
// While other endpoints could be asked; includes the name lookup and the handshake.
constexpr long kConnectMs = 2000;
// While there is no descriptor to wait for (a name is being looked up).
constexpr std::int64_t kLookNs = 10 * kMillisecond;

std::size_t receive(char* from, std::size_t, std::size_t size, void* to) {
  std::string& body = *static_cast<std::string*>(to);
  if (body.size() + size > kMostBytes) return 0;
  body.append(from, size);
  return size;
}

std::size_t receive_header(char* from, std::size_t, std::size_t size, void* to) {
  std::string_view line(from, size);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n')) line.remove_suffix(1);
  if (line.size() > 6 && strncasecmp(line.data(), "date: ", 6) == 0) {
    *static_cast<std::string*>(to) = line.substr(6);
  }
  return size;
}

// The command must not inherit a connection.
curl_socket_t open_socket(void*, curlsocktype, struct curl_sockaddr* address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

bool is_loopback(std::string_view endpoint) {
  const std::string_view host = endpoint.substr(endpoint.find("://") + 3);
  return host.starts_with("127.") || host.starts_with("localhost:") || host.starts_with("[::1]");
}

// libcurl ignores SIGPIPE for a moment when it ends a handle without this option. A program that
// another thread starts at that moment would ignore it for ever.
CURL* new_handle() {
  CURL* const handle = curl_easy_init();
  if (handle != nullptr) curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  return handle;
}

curl_slist* list_of(const std::vector<std::string>& headers) {
  curl_slist* list = curl_slist_append(nullptr, "Expect:");
  for (const std::string& header : headers) list = curl_slist_append(list, header.c_str());
  return list;
}

void set(CURL* handle, const Access& access, const Question& question, curl_slist* headers) {
  curl_easy_setopt(handle, CURLOPT_URL, (question.endpoint + question.path).c_str());
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(question.body.size()));
  curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, question.body.c_str());
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  if (access.endpoints.size() > 1) curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  // No connection is kept to an endpoint that was left.
  curl_easy_setopt(handle, CURLOPT_MAXCONNECTS, 1L);
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  if (is_loopback(question.endpoint)) curl_easy_setopt(handle, CURLOPT_PROXY, "");
  if (!access.ca_file.empty()) curl_easy_setopt(handle, CURLOPT_CAINFO, access.ca_file.c_str());
  if (!access.cert_file.empty()) {
    curl_easy_setopt(handle, CURLOPT_SSLCERT, access.cert_file.c_str());
    curl_easy_setopt(handle, CURLOPT_SSLKEY, access.key_file.c_str());
  }
}

class CurlFlow final : public Flow {
 public:
  CurlFlow(const Access& access, const Question& question)
      : multi_(curl_multi_init()), handle_(new_handle()), headers_(list_of(question.headers)) {
    if (!whole()) return;
    set(handle_, access, question, headers_);
    curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(handle_, CURLOPT_WRITEDATA, this);
    curl_easy_setopt(handle_, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
    curl_easy_setopt(handle_, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(handle_, CURLOPT_TCP_KEEPIDLE, static_cast<long>(kProbeIdleS));
    curl_easy_setopt(handle_, CURLOPT_TCP_KEEPINTVL, static_cast<long>(kProbePauseS));
    curl_multi_add_handle(multi_, handle_);
  }
  CurlFlow(const CurlFlow&) = delete;
  CurlFlow& operator=(const CurlFlow&) = delete;
  ~CurlFlow() override {
    if (whole()) curl_multi_remove_handle(multi_, handle_);
    curl_easy_cleanup(handle_);
    if (multi_ != nullptr) curl_multi_cleanup(multi_);
    curl_slist_free_all(headers_);
  }
  bool whole() const { return multi_ != nullptr && handle_ != nullptr; }

  Heard next(std::string& line, std::int64_t until_boot_ns, int requests) override;

 private:
  static std::size_t take(char* from, std::size_t, std::size_t size, void* self);
  bool pump();
  bool wait(std::int64_t until_boot_ns, int requests);

  CURLM* multi_;
  CURL* handle_;
  curl_slist* headers_;
  std::string partial_;
  std::deque<std::string> lines_;
};

std::size_t CurlFlow::take(char* from, std::size_t, std::size_t size, void* self) {
  CurlFlow& flow = *static_cast<CurlFlow*>(self);
  for (std::size_t i = 0; i < size; ++i) {
    if (from[i] != '\n') {
      flow.partial_.push_back(from[i]);
    } else {
      flow.lines_.push_back(std::move(flow.partial_));
      flow.partial_.clear();
    }
  }
  return flow.partial_.size() > kMostBytes ? 0 : size;
}

// False once the flow has ended.
bool CurlFlow::pump() {
  int running = 0;
  return curl_multi_perform(multi_, &running) == CURLM_OK && running > 0;
}

// False: a signal handler ran, or `bell` is readable.
bool CurlFlow::wait(std::int64_t until_boot_ns, int requests) {
  fd_set reading, writing, failing;
  FD_ZERO(&reading);
  FD_ZERO(&writing);
  FD_ZERO(&failing);
  int highest = -1;
  curl_multi_fdset(multi_, &reading, &writing, &failing, &highest);
  std::vector<pollfd> polled = {{requests, POLLIN, 0}};  // poll(2) ignores -1
  for (int fd = 0; fd <= highest; ++fd) {
    const int events =
        (FD_ISSET(fd, &reading) ? POLLIN : 0) | (FD_ISSET(fd, &writing) ? POLLOUT : 0);
    if (events != 0) polled.push_back({fd, static_cast<short>(events), 0});
  }
  long span = -1;
  curl_multi_timeout(multi_, &span);
  const std::int64_t now = os::boot_ns();
  std::int64_t end = until_boot_ns;
  if (highest < 0) end = std::min(end, now + kLookNs);
  if (span >= 0) end = std::min(end, now + span * kMillisecond);
  const std::int64_t left = std::clamp<std::int64_t>(end - now, 0, 3'600'000 * kMillisecond);
  const int found = poll(polled.data(), polled.size(),
                         static_cast<int>((left + kMillisecond - 1) / kMillisecond));
  return found >= 0 && polled[0].revents == 0;
}

Heard CurlFlow::next(std::string& line, std::int64_t until_boot_ns, int requests) {
  line.clear();
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
    if (!wait(until_boot_ns, requests)) return Heard::interrupted;
  }
}

class CurlChannel final : public Channel {
 public:
  explicit CurlChannel(const Access& access) : access_(access), handle_(new_handle()) {}
  CurlChannel(const CurlChannel&) = delete;
  CurlChannel& operator=(const CurlChannel&) = delete;
  ~CurlChannel() override { curl_easy_cleanup(handle_); }

  Exchange exchange(const Question& question, std::int64_t until_boot_ns) override {
    Exchange to;
    const std::int64_t left = (until_boot_ns - os::boot_ns()) / kMillisecond;
    if (handle_ == nullptr || left <= 0) {
      to.trouble = handle_ == nullptr ? "out of memory" : "no answer in time";
      return to;
    }
    curl_easy_reset(handle_);
    curl_slist* const headers = list_of(question.headers);
    set(handle_, access_, question, headers);
    curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(handle_, CURLOPT_WRITEDATA, &to.body);
    curl_easy_setopt(handle_, CURLOPT_HEADERFUNCTION, receive_header);
    curl_easy_setopt(handle_, CURLOPT_HEADERDATA, &to.date);
    curl_easy_setopt(handle_, CURLOPT_TIMEOUT_MS,
                     static_cast<long>(std::max<std::int64_t>(left, 1)));
    char words[CURL_ERROR_SIZE] = "";
    curl_easy_setopt(handle_, CURLOPT_ERRORBUFFER, words);
    const CURLcode code = curl_easy_perform(handle_);
    curl_easy_setopt(handle_, CURLOPT_ERRORBUFFER, nullptr);
    curl_slist_free_all(headers);
    if (code == CURLE_OK) {
      to.arrived = true;
      curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &to.status);
    } else {
      no_answer(handle_, code, words, question, to);
    }
    return to;
  }

  void hang_up() override {
    curl_easy_cleanup(handle_);
    handle_ = new_handle();
  }

  std::unique_ptr<Flow> flow(const Question& question) override {
    auto made = std::make_unique<CurlFlow>(access_, question);
    if (!made->whole()) return nullptr;
    return made;
  }

 private:
  const Access access_;
  CURL* handle_;
};

}  // namespace

std::unique_ptr<Channel> make_channel(const Access& access) {
  static const bool kReady = curl_global_init(CURL_GLOBAL_DEFAULT) == 0;
  return kReady ? std::make_unique<CurlChannel>(access) : nullptr;
}

}  // namespace atmost::etcd
