// Requests to etcd's JSON gateway over HTTP. There are several endpoints; one is asked at a time.
// Malformed answers are rejected.
#ifndef ATMOST_STORE_ETCD_GATEWAY_H
#define ATMOST_STORE_ETCD_GATEWAY_H

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "access.h"
#include "channel.h"
#include "core/result.h"
#include "wire.h"

namespace atmost::etcd {

// The knowledge of all gateways of a process about the cluster: its name, and its latest revision.
// Thread-safe.
class ClusterHistory {
 public:
  // True if an answer with this header is of our cluster and not older than what was noted before.
  bool believes(const Header& header);
  // From now on, no answer below this revision, which is that of our own write, is believed.
  void note(std::uint64_t revision);

 private:
  std::atomic<std::uint64_t> cluster_ = 0;
  std::atomic<std::uint64_t> revision_ = 0;
};

struct Answer {
  enum class Kind : std::uint8_t {
    good,     // HTTP 200, and believed: `text` is the body
    refused,  // by etcd, in its words: nothing was done
    unknown,  // no answer in time that can be believed; the request may have been carried out or
              // not
  };
  Kind kind = Kind::unknown;
  std::string text;         // the body, etcd's words, or the reason why there is no answer
  bool distrust = false;    // unknown, and another try would fail: certificates that are not
                            // trusted
  std::string where = {};   // unknown: the endpoint that was asked last
  Lack lack = Lack::other;  // unknown: why, if it was the same for all endpoints
  // unknown: since when no endpoint has answered, and whether one had answered before.
  std::int64_t silent_since_boot_ns = 0;
  bool fell_silent = false;
};

// One thread owns it.
class Gateway {
 public:
  // True if a body is an answer.
  using Believe = std::function<bool(std::string_view body)>;
  enum class Repeat : std::uint8_t { yes, no };

  Gateway(const Access& access, ClusterHistory& history);
  Gateway(const Gateway&) = delete;
  Gateway& operator=(const Gateway&) = delete;

  // POST to `path` (below /v3/). Goes from endpoint to endpoint until one gives an answer that is
  // believed, at most until `give_up_boot_ns`. Repeat::no: the request must not be carried out
  // twice, so it is sent again only if it cannot have arrived.
  Answer ask(const std::string& path, const std::string& body, std::int64_t give_up_boot_ns,
             Repeat repeat, const Believe& believe);

  // When the last question was sent, at the earliest.
  std::int64_t asked_boot_ns() const { return asked_boot_ns_; }
  // True if the last question had no answer in time.
  bool silent() const { return silent_; }
  const Access& access() const { return access_; }
  ClusterHistory& history() { return history_; }
  std::size_t endpoint() const { return at_; }
  // The next endpoint instead of this one.
  void turn() { at_ = (at_ + 1) % access_.endpoints.size(); }
  // Asks one endpoint only.
  void pin(std::size_t endpoint) {
    at_ = endpoint;
    pinned_ = true;
  }

  void go_to(std::size_t endpoint) { at_ = endpoint % access_.endpoints.size(); }
  // Closes the connection that is kept for the next question.
  void hang_up() {
    if (channel_ != nullptr) channel_->hang_up();
  }
  // Swaps the endpoints and connections of the two gateways.
  void trade(Gateway& other);
  // Another gateway of this process had an answer to a question that it sent at that moment.
  void answered(std::int64_t sent_boot_ns) {
    if (answered_boot_ns_ < sent_boot_ns) answered_boot_ns_ = sent_boot_ns;
  }

  // A watch at the present endpoint; null when there is no channel.
  std::unique_ptr<Flow> flow(const std::string& path, const std::string& body);
  // The time by the present endpoint's clock, as it writes it; "" when the answer has no date.
  std::string date(std::int64_t give_up_boot_ns);

 private:
  // One request to one endpoint. `arrived`: it may have.
  Answer try_once(const std::string& path, const std::string& body, std::int64_t span_ns,
                  bool& arrived);
  Question question(const std::string& path, const std::string& body, bool flows) const;
  Answer ask_around(const std::string& path, const std::string& body, std::int64_t give_up_boot_ns,
                    Repeat repeat, const Believe& believe);
  // True; else `answer` has the reason.
  bool log_in(std::int64_t give_up_boot_ns, Answer& answer);
  bool older_path();

  Access access_;
  ClusterHistory& history_;
  std::unique_ptr<Channel> channel_;
  std::size_t at_ = 0;
  bool pinned_ = false;
  std::string api_ = "/v3/";
  std::string token_;
  bool logging_in_ = false;
  std::int64_t asked_boot_ns_ = 0;
  bool silent_ = false;
  // When the last question that was answered had been sent; 0: none was answered.
  std::int64_t answered_boot_ns_ = 0;
};

// The errors that several files report.

// The reason why a request had no result.
Error failure(const Answer& answer, std::string_view what);

// True if etcd refused because a lease that the request named does not exist.
bool lease_is_gone(const Answer& answer);

// A key below a lock that this version of atmost did not write so.
Error alien_key(std::string_view key);

}  // namespace atmost::etcd

#endif
