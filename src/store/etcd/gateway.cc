#include "gateway.h"

#include <algorithm>
#include <utility>

#include "os/clock.h"
#include "os/self.h"

namespace atmost::etcd {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// Between two rounds of all endpoints.
constexpr std::int64_t kPauseNs = 50 * kMillisecond;
constexpr std::int64_t kShortestTryNs = 300 * kMillisecond;
// A channel counts in milliseconds and may end one too early.
constexpr std::int64_t kRoundingNs = 2 * kMillisecond;

// True if the refusal is etcd's decision. Refusals without one (no leader, timed out, stopped) may
// be repeated at another member.
bool decided(long status, std::string_view words) {
  if (words.empty()) return false;
  for (const char* undecided :
       {"timed out", "leader", "stopped", "too many", "unhealthy", "not capable", "unavailable"}) {
    if (words.find(undecided) != std::string_view::npos) return false;
  }
  return status >= 400 && status < 500;
}

// The token has ended, or was made before accounts were changed.
bool is_bad_token(std::string_view words) {
  return words.find("auth token") != std::string_view::npos ||
         words.find("auth store is old") != std::string_view::npos;
}

// The answer of Go's servers to plain HTTP on a port for TLS.
bool is_tls_elsewhere(std::string_view body) {
  return body.find("HTTPS server") != std::string_view::npos;
}

}  // namespace

bool ClusterHistory::believes(const Header& header) {
  std::uint64_t none = 0;
  if (!cluster_.compare_exchange_strong(none, header.cluster) && none != header.cluster)
    return false;
  return header.revision >= revision_;
}

void ClusterHistory::note(std::uint64_t revision) {
  std::uint64_t seen = revision_;
  while (seen < revision && !revision_.compare_exchange_weak(seen, revision)) {
  }
}

Gateway::Gateway(const Access& access, ClusterHistory& history)
    : access_(access), history_(history), channel_(make_channel(access_)), token_(access.token) {
  // Callers spread over the members. (Process numbers would not spread them: those of supervisors
  // may all be odd.)
  at_ = os::scatter() % access_.endpoints.size();
}

void Gateway::trade(Gateway& other) {
  std::swap(channel_, other.channel_);
  std::swap(at_, other.at_);
  std::swap(api_, other.api_);
  std::swap(token_, other.token_);
}

Question Gateway::question(const std::string& path, const std::string& body, bool flows) const {
  Question asked;
  asked.endpoint = access_.endpoints[at_];
  // Before 3.4 these two were under kv/.
  const bool among_keys = api_ != "/v3/" && (path == "lease/revoke" || path == "lease/timetolive");
  asked.path = api_ + (among_keys ? "kv/" : "") + path;
  asked.headers = {"Content-Type: application/json"};
  if (flows) asked.headers.emplace_back("Grpc-Metadata-hasleader: true");
  if (!token_.empty()) asked.headers.push_back("Authorization: " + token_);
  asked.body = body;
  return asked;
}

std::unique_ptr<Flow> Gateway::flow(const std::string& path, const std::string& body) {
  return channel_ != nullptr ? channel_->flow(question(path, body, true)) : nullptr;
}

std::string Gateway::date(std::int64_t give_up_boot_ns) {
  if (channel_ == nullptr) return "";
  return channel_->exchange(question("maintenance/status", "{}", false), give_up_boot_ns).date;
}

Answer Gateway::try_once(const std::string& path, const std::string& body, std::int64_t span_ns,
                         bool& arrived) {
  Exchange exchange =
      channel_->exchange(question(path, body, false), plus(os::boot_ns(), {span_ns}));
  arrived = exchange.arrived;
  if (exchange.status == 0) {
    Answer none{Answer::Kind::unknown, std::move(exchange.trouble), exchange.distrust};
    none.lack = exchange.lack;
    return none;
  }
  if (exchange.status == 200) return {Answer::Kind::good, std::move(exchange.body)};
  std::string words = error_words(exchange.body);
  if (exchange.status == 404 && words.empty()) return {Answer::Kind::unknown, "404"};
  if (decided(exchange.status, words)) return {Answer::Kind::refused, std::move(words)};
  if (words.empty()) {
    words = "HTTP status " + std::to_string(exchange.status);
    // Some refusals are plain text, for example when a client certificate has a name and accounts
    // are on.
    const std::string_view text =
        std::string_view(exchange.body).substr(0, exchange.body.find('\n'));
    if (!text.empty() && text.size() < 300 && text[0] != '{' && text[0] != '<')
      words.append(": ").append(text);
  }
  return {Answer::Kind::unknown, std::move(words), is_tls_elsewhere(exchange.body)};
}

// Changes to the names that the gateway had before it was declared stable.
bool Gateway::older_path() {
  if (api_ == "/v3alpha/") return false;
  api_ = api_ == "/v3/" ? "/v3beta/" : "/v3alpha/";
  return true;
}

bool Gateway::log_in(std::int64_t give_up_boot_ns, Answer& answer) {
  if (access_.user.empty() || logging_in_) return false;
  logging_in_ = true;
  token_.clear();
  const std::string body =
      "{\"name\":" + quoted(access_.user) + ",\"password\":" + quoted(access_.password) + "}";
  Answer granted = ask("auth/authenticate", body, give_up_boot_ns, Repeat::yes,
                       [](std::string_view text) { return parse_token(text).has_value(); });
  logging_in_ = false;
  if (granted.kind == Answer::Kind::good) {
    token_ = *parse_token(granted.text);
    return true;
  }
  answer = std::move(granted);
  return false;
}

Answer Gateway::ask(const std::string& path, const std::string& body, std::int64_t give_up_boot_ns,
                    Repeat repeat, const Believe& believe) {
  const std::int64_t asked = asked_boot_ns_ = os::boot_ns();
  Answer answer = ask_around(path, body, give_up_boot_ns, repeat, believe);
  silent_ = answer.kind == Answer::Kind::unknown;
  answer.fell_silent = answered_boot_ns_ != 0;
  answer.silent_since_boot_ns = answered_boot_ns_ != 0 ? answered_boot_ns_ : asked;
  if (!silent_) answered_boot_ns_ = asked;
  return answer;
}

Answer Gateway::ask_around(const std::string& path, const std::string& body,
                           std::int64_t give_up_boot_ns, Repeat repeat, const Believe& believe) {
  if (channel_ == nullptr) return {Answer::Kind::unknown, "libcurl cannot be used"};
  Answer answer{Answer::Kind::unknown, "no time was left to ask"};
  if (token_.empty() && !access_.user.empty() && !logging_in_ && !log_in(give_up_boot_ns, answer))
    return answer;
  bool renewed_token = false;
  std::size_t distrusted = 0;  // in a row
  std::size_t alike = 0;       // tries in a row with the same lack
  Lack lack = Lack::other;
  const std::size_t count = pinned_ ? 1 : access_.endpoints.size();
  for (std::size_t tries = 1;; ++tries) {
    const std::int64_t left = give_up_boot_ns - os::boot_ns();
    if (left <= 0) return answer;
    const std::int64_t share = std::max<std::int64_t>(
        access_.timeout.ns / static_cast<std::int64_t>(count), kShortestTryNs);
    bool arrived = false;
    const std::string reason = tries > 1 && left < share ? answer.text : std::string();
    answer = try_once(path, body, std::min(left, share), arrived);
    // A try that our own deadline cut short has less information than the one before it.
    const bool ran_out = os::boot_ns() + kRoundingNs >= give_up_boot_ns;
    const bool cut =
        ran_out && !reason.empty() && answer.kind == Answer::Kind::unknown && !answer.distrust;
    if (cut) answer.text = reason;
    if (!cut) alike = answer.lack == lack ? alike + 1 : 1;
    if (!cut) lack = answer.lack;
    answer.lack = alike >= count ? lack : Lack::other;
    answer.where = access_.endpoints[at_].substr(access_.endpoints[at_].find("://") + 3);
    if (answer.kind == Answer::Kind::good) {
      if (believe(answer.text)) return answer;
      answer = {Answer::Kind::unknown, "an answer that is malformed, incomplete or out of date"};
    }
    if (answer.kind == Answer::Kind::refused) {
      if (!is_bad_token(answer.text) || renewed_token) return answer;
      if (!log_in(give_up_boot_ns, answer)) return answer;
      renewed_token = true;
      continue;
    }
    if (answer.text == "404") {
      // The 404 may be a proxy's, which lost etcd's answer: the request may have been carried out.
      const bool older = older_path();
      if (older && repeat == Repeat::yes) continue;
      answer.text = "there is no etcd gateway at that address";
      if (!older) api_ = "/v3/";
    }
    distrusted = answer.distrust ? distrusted + 1 : 0;
    if (distrusted == count || (repeat == Repeat::no && arrived)) return answer;
    if (!pinned_) turn();
    if (tries % count == 0) os::sleep_until(std::min(os::boot_ns() + kPauseNs, give_up_boot_ns));
  }
}

}  // namespace atmost::etcd
