#include "own_lease.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>

#include "os/clock.h"
#include "records.h"
#include "words.h"

namespace atmost::etcd {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
// A command that ends sooner is not worth a watch.
constexpr std::int64_t kSettleNs = 200 * kMillisecond;
constexpr std::int64_t kReopenNs = 500 * kMillisecond;

std::int64_t random_id() {
  std::uint64_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits || bits << 1 == 0) {
  }
  return static_cast<std::int64_t>(bits << 1 >> 1);
}

std::string lease_body(std::int64_t id) { return "{\"ID\":\"" + std::to_string(id) + "\"}"; }

}  // namespace

OwnLease::OwnLease(const Access& access, Ledger& ledger) : gateway_(access, ledger) {
  if (pipe2(bell_, O_CLOEXEC | O_NONBLOCK) != 0) bell_[0] = bell_[1] = -1;
}

OwnLease::~OwnLease() {
  renewal_.stop();
  for (int end : bell_) {
    if (end >= 0) ::close(end);
  }
}

Status OwnLease::ensure(Gateway& gateway, Duration ttl, Duration pause, std::int64_t give_up_boot_ns) {
  if (id() != 0 && renewal_.running() && !renewal_.upkeep().lost) return {};
  renewal_.stop();
  abandoned_ = false;
  id_ = random_id();
  // Counted from before it was asked for: whenever it was granted, it is good for as long as we think.
  const std::int64_t sent = os::boot_ns();
  const std::int64_t seconds = ttl.ns / 1'000'000'000 + (ttl.ns % 1'000'000'000 != 0 ? 1 : 0);
  const std::string body =
      "{\"ID\":\"" + std::to_string(id_) + "\",\"TTL\":\"" + std::to_string(seconds) + "\"}";
  const auto believe = [&](std::string_view text) {
    const std::optional<LeaseReply> reply = parse_lease(text);
    return reply && reply->id == id_ && reply->ttl >= seconds && gateway.ledger().believes(reply->header);
  };
  const Answer answer = gateway.ask("lease/grant", body, give_up_boot_ns, Gateway::Repeat::yes, believe);
  // The number is ours alone: who has it already has had our first question.
  const bool granted =
      answer.kind == Answer::Kind::good ||
      (answer.kind == Answer::Kind::refused && answer.text.find("already exists") != std::string::npos);
  if (!granted) {
    id_ = 0;
    return failure(answer, "no lease is granted");
  }
  if (const int error = renewal_.start(*this, sent, ttl, pause)) {
    return error_of(Code::internal, error, "cannot start the thread that renews the lease");
  }
  return {};
}

void OwnLease::forsake() {
  renewal_.stop();
  flow_.reset();
  id_ = 0;
  abandoned_ = false;
}

void OwnLease::abandon() {
  renewal_.cease();
  abandoned_ = true;  // its number is the thread's until that has ended
}

Upkeep OwnLease::upkeep() const {
  Upkeep upkeep = renewal_.upkeep();
  upkeep.lost = upkeep.lost || abandoned_;
  return upkeep;
}

void OwnLease::end(Gateway& gateway, std::int64_t give_up_boot_ns) {
  if (id() == 0) return;
  const std::string body = lease_body(id_);
  const Answer answer = gateway.ask("lease/revoke", body, give_up_boot_ns, Gateway::Repeat::yes,
                                    [](std::string_view text) { return parse_header(text).has_value(); });
  if (answer.kind == Answer::Kind::unknown) {
    abandon();
  } else {
    forsake();
  }
}

fleet::Renewed OwnLease::renew(std::int64_t give_up_boot_ns) {
  bool gone = false;
  const auto believe = [&](std::string_view text) {
    const std::optional<LeaseReply> reply = parse_lease(text);
    if (!reply || reply->id != id_) return false;
    // Of a lease that is no more only the number is told. An answer that lost a field looks the same: ask otherwise.
    gone = reply->ttl == kAbsentTtl;
    return gone || reply->ttl > 0;
  };
  Answer answer =
      gateway_.ask("lease/keepalive", lease_body(id_), give_up_boot_ns, Gateway::Repeat::yes, believe);
  if (answer.kind == Answer::Kind::good && !gone) {
    return key_missed_ && keys_are_gone(give_up_boot_ns) ? fleet::Renewed::lost : fleet::Renewed::yes;
  }
  if (answer.kind == Answer::Kind::unknown) return fleet::Renewed::unknown;
  std::int64_t left = 0;
  answer = gateway_.ask("lease/timetolive", lease_body(id_), give_up_boot_ns, Gateway::Repeat::yes,
                        [&](std::string_view text) {
                          const std::optional<LeaseReply> reply = parse_lease(text);
                          if (!reply || reply->id != id_ || reply->ttl == kAbsentTtl) return false;
                          left = reply->ttl;
                          return true;
                        });
  return answer.kind == Answer::Kind::good && left == -1 ? fleet::Renewed::lost : fleet::Renewed::unknown;
}

// The lease is alive, and somebody took what lay under it away: whoever comes next finds the slot free.
bool OwnLease::keys_are_gone(std::int64_t give_up_boot_ns) {
  Txn txn;
  for (const Listening& each : listening_) txn.range(each.held);
  std::optional<TxnReply> reply;
  const Answer answer =
      gateway_.ask("kv/txn", txn.text(), give_up_boot_ns, Gateway::Repeat::yes, [&](std::string_view text) {
        reply = parse_txn(text, txn.parts());
        return reply && reply->succeeded && gateway_.ledger().believes(reply->header);
      });
  if (answer.kind != Answer::Kind::good) return false;  // asked again at the next renewal
  key_missed_ = false;
  for (std::size_t i = 0; i < listening_.size(); ++i) {
    const std::vector<KeyValue>& held = reply->parts[i].keys;
    if (held.empty() || held[0].created != listening_[i].token) return true;
  }
  return false;
}

void OwnLease::wake() {
  const char ring = 1;
  if (write(bell_[1], &ring, 1) < 0) {
  }
}

void OwnLease::listen(std::vector<Listening> to) {
  {
    const std::lock_guard locked(mutex_);
    heard_ = std::move(to);
  }
  wake();
}

// Sleeps; true when the bell rang.
bool OwnLease::rest(std::int64_t until_boot_ns) {
  const std::int64_t left = std::max<std::int64_t>(until_boot_ns - os::boot_ns(), 0);
  pollfd polled = {bell_[0], POLLIN, 0};
  if (poll(&polled, 1, static_cast<int>(std::min<std::int64_t>(left / kMillisecond + 1, 3'600'000))) <= 0)
    return false;
  char rings[16];
  while (read(bell_[0], rings, sizeof rings) > 0) {
  }
  return true;
}

bool OwnLease::asked_to_stop(std::int64_t until_boot_ns) {
  {
    const std::lock_guard locked(mutex_);
    if (!heard_.empty()) {
      listening_ = std::move(heard_);
      heard_.clear();
      flow_.reset();
      listen_at_boot_ns_ = os::boot_ns() + kSettleNs;
    }
  }
  if (listening_.empty()) {
    rest(until_boot_ns);
    return false;
  }
  if (flow_ == nullptr && os::boot_ns() < listen_at_boot_ns_) {
    rest(std::min(until_boot_ns, listen_at_boot_ns_));
    return false;
  }
  if (flow_ == nullptr && look()) return true;
  return follow(until_boot_ns);
}

bool OwnLease::heeds(const std::vector<KeyValue>& keys) const {
  for (const KeyValue& key : keys) {
    const std::optional<Ask> ask = parse_ask(key.value);
    for (const Listening& each : listening_) {
      const bool ours = ask && ask->token == each.token && key.key.starts_with(each.prefix);
      // How long we have held it, our own clock knows: the taker's may be wrong.
      if (ours && os::boot_ns() - each.since_boot_ns >= ask->due_ns) return true;
    }
  }
  return false;
}

// What was asked before we watched; and begins to watch.
bool OwnLease::look() {
  listen_at_boot_ns_ = os::boot_ns() + kReopenNs;
  Txn txn;
  for (const Listening& each : listening_) {
    txn.range(each.prefix, end_of_prefix(each.prefix)).range(each.held);
  }
  std::optional<TxnReply> reply;
  const Answer answer = gateway_.ask("kv/txn", txn.text(), os::boot_ns() + 1000 * kMillisecond,
                                     Gateway::Repeat::yes, [&](std::string_view text) {
                                       reply = parse_txn(text, txn.parts());
                                       return reply && gateway_.ledger().believes(reply->header);
                                     });
  if (answer.kind != Answer::Kind::good) return false;
  std::string body;
  for (std::size_t i = 0; i < listening_.size(); ++i) {
    const Listening& each = listening_[i];
    const std::vector<KeyValue>& held = reply->parts[2 * i + 1].keys;
    if (heeds(reply->parts[2 * i].keys)) return true;
    if (held.empty() || held[0].created != each.token) doubts_ = key_missed_ = true;
    body += watch_body(each.held, {}, reply->header.revision + 1);
    body += watch_body(each.prefix, end_of_prefix(each.prefix), reply->header.revision + 1);
  }
  flow_ = gateway_.flow("watch", body);
  return false;
}

bool OwnLease::follow(std::int64_t until_boot_ns) {
  if (flow_ == nullptr) return false;
  std::string line;
  const Heard heard = flow_->next(line, until_boot_ns, bell_[0]);
  if (heard == Heard::interrupted) rest(0);
  if (heard == Heard::time || heard == Heard::interrupted) return false;
  std::string error;
  const std::optional<WatchReply> reply = parse_watch(line, error);
  if (heard == Heard::broken || !reply || reply->canceled) {
    flow_.reset();
    gateway_.turn();
    doubts_ = true;
    return false;
  }
  std::vector<KeyValue> keys;
  for (const WatchReply::Event& event : reply->events) {
    if (!event.erased) keys.push_back(event.key);
    for (const Listening& each : listening_) {
      if (event.erased && event.key.key == each.held) doubts_ = key_missed_ = true;
    }
  }
  return heeds(keys);
}

}  // namespace atmost::etcd
