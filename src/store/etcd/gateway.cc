#include "gateway.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "os/clock.h"

namespace atmost::etcd {
namespace {

constexpr std::size_t kMostBytes = 64u << 20;
constexpr std::int64_t kMillisecond = 1'000'000;
// Between two rounds of all endpoints.
constexpr std::int64_t kPauseNs = 50 * kMillisecond;
constexpr std::int64_t kShortestTryNs = 300 * kMillisecond;

std::size_t receive(char* from, std::size_t, std::size_t size, void* to) {
  std::string& body = *static_cast<std::string*>(to);
  if (body.size() + size > kMostBytes) return 0;
  body.append(from, size);
  return size;
}

// No command shall inherit a connection.
curl_socket_t open_socket(void*, curlsocktype, struct curl_sockaddr* address) {
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

bool is_loopback(std::string_view url) {
  const std::string_view host = url.substr(url.find("://") + 3);
  return host.starts_with("127.") || host.starts_with("localhost:") || host.starts_with("[::1]");
}

// Whether nothing of the request can have reached anybody who would act on it.
bool never_arrived(CURLcode code) {
  return code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST ||
         code == CURLE_SSL_CONNECT_ERROR || code == CURLE_PEER_FAILED_VERIFICATION ||
         code == CURLE_SSL_CACERT_BADFILE || code == CURLE_SSL_CERTPROBLEM;
}

// What etcd says when it has decided, as opposed to when it could not (no leader, timed out, stopped): those may be
// repeated elsewhere.
bool decided(long status, std::string_view words) {
  if (words.empty()) return false;
  for (const char* undecided :
       {"timed out", "leader", "stopped", "too many", "unhealthy", "not capable", "unavailable"}) {
    if (words.find(undecided) != std::string_view::npos) return false;
  }
  return status >= 400 && status < 500;
}

bool is_bad_token(std::string_view words) { return words.find("auth token") != std::string_view::npos; }

}  // namespace

bool Ledger::believes(const Header& header) {
  std::uint64_t none = 0;
  if (!cluster_.compare_exchange_strong(none, header.cluster) && none != header.cluster) return false;
  return header.revision >= revision_;
}

void Ledger::note(std::uint64_t revision) {
  std::uint64_t seen = revision_;
  while (seen < revision && !revision_.compare_exchange_weak(seen, revision)) {
  }
}

Gateway::Gateway(const Access& access, Ledger& ledger)
    : access_(access), ledger_(ledger), token_(access.token) {
  handle_ = curl_easy_init();
  // Callers spread over the members.
  at_ = static_cast<std::size_t>(getpid()) % access_.endpoints.size();
}

Gateway::~Gateway() { curl_easy_cleanup(handle_); }

std::string Gateway::url_of(const std::string& path) const {
  std::string below = path;
  // Before 3.4 these two lay among the keys.
  if (api_ != "/v3/" && (path == "lease/revoke" || path == "lease/timetolive")) below = "kv/" + path;
  return access_.endpoints[at_] + api_ + below;
}

curl_slist* Gateway::own_headers(bool stream) const {
  curl_slist* headers = curl_slist_append(nullptr, "Content-Type: application/json");
  headers = curl_slist_append(headers, "Expect:");
  if (stream) headers = curl_slist_append(headers, "Grpc-Metadata-hasleader: true");
  if (!token_.empty()) headers = curl_slist_append(headers, ("Authorization: " + token_).c_str());
  return headers;
}

void Gateway::set(CURL* handle, const std::string& path, const std::string& body, curl_slist* headers) const {
  const std::string url = url_of(path);
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, body.c_str());
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  if (is_loopback(url)) curl_easy_setopt(handle, CURLOPT_PROXY, "");
  if (!access_.ca_file.empty()) curl_easy_setopt(handle, CURLOPT_CAINFO, access_.ca_file.c_str());
  if (!access_.cert_file.empty()) {
    curl_easy_setopt(handle, CURLOPT_SSLCERT, access_.cert_file.c_str());
    curl_easy_setopt(handle, CURLOPT_SSLKEY, access_.key_file.c_str());
  }
}

CURL* Gateway::prepare(const std::string& path, const std::string& body, curl_slist*& headers) {
  CURL* const handle = curl_easy_init();
  headers = own_headers(true);
  if (handle != nullptr) set(handle, path, body, headers);
  return handle;
}

Answer Gateway::try_once(const std::string& path, const std::string& body, std::int64_t span_ns,
                         bool& arrived) {
  std::string received;
  curl_easy_reset(handle_);
  curl_slist* const headers = own_headers(false);
  set(handle_, path, body, headers);
  curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(handle_, CURLOPT_WRITEDATA, &received);
  curl_easy_setopt(handle_, CURLOPT_TIMEOUT_MS,
                   static_cast<long>(std::max<std::int64_t>(span_ns / kMillisecond, 1)));
  const CURLcode code = curl_easy_perform(handle_);
  curl_slist_free_all(headers);
  arrived = !never_arrived(code);
  if (code != CURLE_OK) return {Answer::Kind::unknown, curl_easy_strerror(code)};
  long status = 0;
  curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  if (status == 200) return {Answer::Kind::good, std::move(received)};
  if (status == 404 && error_words(received).empty()) return {Answer::Kind::unknown, "404"};
  std::string words = error_words(received);
  if (decided(status, words)) return {Answer::Kind::refused, std::move(words)};
  if (words.empty()) words = "HTTP status " + std::to_string(status);
  return {Answer::Kind::unknown, std::move(words)};
}

// The names that the gateway had before it was declared stable.
bool Gateway::older_path() {
  if (api_ == "/v3alpha/") return false;
  api_ = api_ == "/v3/" ? "/v3beta/" : "/v3alpha/";
  return true;
}

bool Gateway::log_in(std::int64_t give_up_boot_ns) {
  if (access_.user.empty() || logging_in_) return false;
  logging_in_ = true;
  token_.clear();
  const std::string body =
      "{\"name\":" + quoted(access_.user) + ",\"password\":" + quoted(access_.password) + "}";
  const Answer answer = ask("auth/authenticate", body, give_up_boot_ns, Repeat::yes,
                            [](std::string_view text) { return parse_token(text).has_value(); });
  logging_in_ = false;
  if (answer.kind != Answer::Kind::good) return false;
  token_ = *parse_token(answer.text);
  return true;
}

Answer Gateway::ask(const std::string& path, const std::string& body, std::int64_t give_up_boot_ns,
                    Repeat repeat, const Believe& believe) {
  if (handle_ == nullptr) return {Answer::Kind::unknown, "out of memory"};
  if (token_.empty() && !access_.user.empty() && !logging_in_ && !log_in(give_up_boot_ns)) {
    return {Answer::Kind::refused, "authentication failed, or nobody answers it"};
  }
  Answer answer{Answer::Kind::unknown, "no time was left to ask"};
  bool renewed_token = false;
  const std::size_t count = pinned_ ? 1 : access_.endpoints.size();
  for (std::size_t tries = 1;; ++tries) {
    const std::int64_t left = give_up_boot_ns - os::boot_ns();
    if (left <= 0) return answer;
    const std::int64_t share =
        std::max<std::int64_t>(access_.timeout.ns / static_cast<std::int64_t>(count), kShortestTryNs);
    bool arrived = false;
    answer = try_once(path, body, std::min(left, share), arrived);
    if (answer.kind == Answer::Kind::good) {
      if (believe(answer.text)) return answer;
      answer = {Answer::Kind::unknown, "an answer that is malformed, incomplete or out of date"};
    }
    if (answer.kind == Answer::Kind::refused) {
      if (!is_bad_token(answer.text) || renewed_token || !log_in(give_up_boot_ns)) return answer;
      renewed_token = true;
      continue;
    }
    if (answer.text == "404") {
      if (older_path()) continue;
      answer.text = "there is no etcd gateway at that address";
      api_ = "/v3/";
    }
    if (repeat == Repeat::no && arrived) return answer;
    if (!pinned_) turn();
    if (tries % count == 0) os::sleep_until(std::min(os::boot_ns() + kPauseNs, give_up_boot_ns));
  }
}

}  // namespace atmost::etcd
