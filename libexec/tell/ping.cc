#include "ping.h"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <thread>

namespace atmost::tell {
namespace {

// The URL of one ping; empty if `base` is not a URL. `what`: start or a code.
std::string ping_url(std::string base, const std::string& what, const std::string& run_id) {
  base.erase(base.find_last_not_of(" \t\r\n") + 1);
  base.erase(0, base.find_first_not_of(" \t\r\n"));
  if (!base.starts_with("https://") && !base.starts_with("http://")) return {};
  for (const char c : base) {
    if (c <= ' ' || c == '\x7F') return {};
  }
  base.erase(std::min(base.find('#'), base.size()));
  const std::size_t question = std::min(base.find('?'), base.size());
  std::string query = base.substr(question);
  base.erase(question);
  while (base.ends_with('/')) base.pop_back();
  query += (query.empty() ? "?" : query.size() > 1 ? "&" : "") + ("rid=" + run_id);
  return base + "/" + what + query;
}

using std::chrono::milliseconds;

// The time for one attempt, so that a server that is stuck gets a second one.
constexpr milliseconds kAttempt{4500};
constexpr milliseconds kPause{500};
constexpr std::size_t kMostAnswer = 64 * 1024;

std::size_t discard(char*, std::size_t, std::size_t size, void* seen) {
  std::size_t& total = *static_cast<std::size_t*>(seen);
  total += size;
  return total <= kMostAnswer ? size : 0;
}

struct Attempt {
  std::string trouble;  // empty: delivered
  bool again = false;   // a later attempt may succeed
};

// The text of curl_easy_strerror() contains no address, unlike the error buffer.
Attempt result_of(CURL* handle, CURLcode code) {
  long status = 0;
  curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  if (code == CURLE_UNSUPPORTED_PROTOCOL && status >= 300 && status < 400)
    return {"the server redirects to http", false};
  if (code == CURLE_WRITE_ERROR) code = CURLE_OK;  // the beginning of a long answer is enough
  if (code != CURLE_OK) {
    const bool lasting = code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_TOO_MANY_REDIRECTS ||
                         code == CURLE_URL_MALFORMAT || code == CURLE_PEER_FAILED_VERIFICATION;
    return {curl_easy_strerror(code), !lasting};
  }
  if (status >= 200 && status < 300) return {};
  return {"the server answered " + std::to_string(status),
          status >= 500 || status == 408 || status == 429};
}

void set(CURL* handle, const std::string& url, const std::string& body, std::size_t& seen) {
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(handle, CURLOPT_MAXREDIRS, 3L);
  curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "https");
  curl_easy_setopt(handle, CURLOPT_POSTREDIR, static_cast<long>(CURL_REDIR_POST_ALL));
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_USERAGENT, "atmost/" ATMOST_VERSION);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, discard);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &seen);
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
}

Attempt attempt(const std::string& url, const std::string& body, milliseconds at_most) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle(curl_easy_init(),
                                                                   curl_easy_cleanup);
  if (handle == nullptr) return {"libcurl cannot be used", false};
  // Without these, curl waits for a 100 Continue, and calls the body a form.
  curl_slist* headers = curl_slist_append(nullptr, "Expect:");
  headers = curl_slist_append(headers, "Content-Type: text/plain");
  std::size_t seen = 0;
  set(handle.get(), url, body, seen);
  curl_easy_setopt(handle.get(), CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(handle.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(at_most.count()));
  const Attempt result = result_of(handle.get(), curl_easy_perform(handle.get()));
  curl_slist_free_all(headers);
  return result;
}

}  // namespace

std::string send_ping(const TellRequest& request, Clock::time_point deadline) {
  const std::string url = ping_url(request.url, *request.ping, request.run_id);
  if (url.empty()) return "it is no URL of http or https";
  curl_global_init(CURL_GLOBAL_DEFAULT);
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    const Attempt result =
        attempt(url, request.output, std::clamp(left, milliseconds(1), kAttempt));
    if (result.trouble.empty() || !result.again || Clock::now() + 2 * kPause >= deadline)
      return result.trouble;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace atmost::tell
