// Requests to etcd's JSON gateway over HTTP: several endpoints, one at a time; nothing malformed gets through.
#ifndef ATMOST_STORE_ETCD_GATEWAY_H
#define ATMOST_STORE_ETCD_GATEWAY_H

#include <curl/curl.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "access.h"
#include "wire.h"

namespace atmost::etcd {

// What all gateways of a process know of the cluster: its name, and how far its history has come. Thread-safe.
class Ledger {
 public:
  // Whether an answer with this header is of our cluster and not older than what was noted before.
  bool believes(const Header& header);
  // Nothing below this revision is believed any more: our own write.
  void note(std::uint64_t revision);

 private:
  std::atomic<std::uint64_t> cluster_ = 0;
  std::atomic<std::uint64_t> revision_ = 0;
};

struct Answer {
  enum class Kind : std::uint8_t {
    good,     // HTTP 200, and believed: `text` is the body
    refused,  // by etcd, in its words: nothing was done
    unknown,  // no answer in time that can be believed; what was asked may have been done or not
  };
  Kind kind = Kind::unknown;
  std::string text;  // the body, etcd's words, or why there is no answer
};

// One connection at a time, kept alive between requests. One thread owns it.
class Gateway {
 public:
  // Whether a body is an answer.
  using Believe = std::function<bool(std::string_view body)>;
  enum class Repeat : std::uint8_t { yes, no };

  Gateway(const Access& access, Ledger& ledger);
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;
  ~Gateway();

  // POST to `path` (below /v3/). Goes from endpoint to endpoint until one gives an answer that is believed, at most until
  // `give_up_boot_ns`. Repeat::no: for what must not be done twice: only a request that cannot have arrived is sent again.
  Answer ask(const std::string& path, const std::string& body, std::int64_t give_up_boot_ns, Repeat repeat,
             const Believe& believe);

  const Access& access() const { return access_; }
  Ledger& ledger() { return ledger_; }
  std::size_t endpoint() const { return at_; }
  // The next endpoint instead of this one.
  void turn() { at_ = (at_ + 1) % access_.endpoints.size(); }
  // Asks one endpoint only.
  void pin(std::size_t endpoint) {
    at_ = endpoint;
    pinned_ = true;
  }

  // For a stream: a handle with everything set but what receives. Owned by the caller; `headers` too.
  CURL* prepare(const std::string& path, const std::string& body, curl_slist*& headers);
  std::string url_of(const std::string& path) const;

 private:
  // One request to one endpoint. `arrived`: it may have.
  Answer try_once(const std::string& path, const std::string& body, std::int64_t span_ns, bool& arrived);
  void set(CURL* handle, const std::string& path, const std::string& body, curl_slist* headers) const;
  curl_slist* own_headers(bool stream) const;
  bool log_in(std::int64_t give_up_boot_ns);
  bool older_path();

  Access access_;
  Ledger& ledger_;
  CURL* handle_ = nullptr;
  std::size_t at_ = 0;
  bool pinned_ = false;
  std::string api_ = "/v3/";
  std::string token_;
  bool logging_in_ = false;
};

}  // namespace atmost::etcd

#endif
