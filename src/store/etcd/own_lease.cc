#include "own_lease.h"

#include <sys/random.h>

#include <algorithm>

#include "gateway.h"
#include "keys.h"
#include "os/clock.h"
#include "records.h"
#include "transactions.h"

namespace atmost::etcd {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kMillisecond;
// A holder's first look for requests to stop.
constexpr std::int64_t kFirstLookNs = kSecond;
// The pause between two looks for requests to stop: a fifteenth of the ttl, within these bounds.
constexpr std::int64_t kShortestLookNs = kSecond;
constexpr std::int64_t kLongestLookNs = 5 * kSecond;
// A waiter has no command that would have to be stopped in time, so its pause is half of its ttl,
// and no more than this.
constexpr std::int64_t kLongestPauseNs = 7 * kSecond;
// An answer that is this late will not come.
constexpr std::int64_t kLateNs = kSecond;

Duration waiters_pause(Duration ttl) { return {std::min(ttl.ns / 2, kLongestPauseNs)}; }

std::int64_t random_id() {
  std::uint64_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits || bits << 1 == 0) {
  }
  return static_cast<std::int64_t>(bits << 1 >> 1);
}

std::string lease_body(std::int64_t id) { return "{\"ID\":\"" + std::to_string(id) + "\"}"; }

Answer revoke(std::int64_t id, Gateway& gateway, std::int64_t give_up_boot_ns) {
  return gateway.ask("lease/revoke", lease_body(id), give_up_boot_ns, Gateway::Repeat::yes,
                     [](std::string_view text) { return parse_header(text).has_value(); });
}

}  // namespace

Status OwnLease::ensure(Gateway& gateway, Duration ttl, std::int64_t give_up_boot_ns) {
  if (id() != 0 && renewal_.running() && !renewal_.upkeep().lost) return {};
  renewal_.stop();
  abandoned_ = false;
  held_slots_.clear();
  told_to_stop_ = false;
  id_ = random_id();
  ttl_ = ttl;
  // Counted from before the request, so the lease lasts at least as long as we assume.
  const std::int64_t sent = os::boot_ns();
  const std::int64_t seconds = ttl.ns / 1'000'000'000 + (ttl.ns % 1'000'000'000 != 0 ? 1 : 0);
  const std::string body =
      "{\"ID\":\"" + std::to_string(id_) + "\",\"TTL\":\"" + std::to_string(seconds) + "\"}";
  const auto believe = [&](std::string_view text) {
    const std::optional<LeaseReply> reply = parse_lease(text);
    return reply && reply->id == id_ && reply->ttl >= seconds &&
           gateway.history().believes(reply->header);
  };
  const Answer answer =
      gateway.ask("lease/grant", body, give_up_boot_ns, Gateway::Repeat::yes, believe);
  // The number is random, so if it exists, our first request made it.
  const bool granted = answer.kind == Answer::Kind::good ||
                       (answer.kind == Answer::Kind::refused &&
                        answer.text.find("already exists") != std::string::npos);
  if (!granted) {
    id_ = 0;
    return failure(answer, "no lease is granted");
  }
  endpoint_ = wanted_ = gateway.endpoint();
  return start(sent, waiters_pause(ttl), {});
}

void OwnLease::forsake() {
  renewal_.stop();
  id_ = 0;
  abandoned_ = false;
}

void OwnLease::abandon() {
  renewal_.cease();
  abandoned_ = true;  // the thread uses the number until it has ended
}

Upkeep OwnLease::upkeep() const {
  Upkeep upkeep = renewal_.upkeep();
  upkeep.lost = upkeep.lost || abandoned_;
  return upkeep;
}

bool OwnLease::end(Gateway& gateway, std::int64_t give_up_boot_ns) {
  if (id() == 0) return true;
  const bool answered = revoke(id_, gateway, give_up_boot_ns).kind != Answer::Kind::unknown;
  answered ? forsake() : abandon();
  return answered;
}

Status OwnLease::end_of(std::int64_t id, Gateway& gateway, std::int64_t give_up_boot_ns) {
  const Answer answer = revoke(id, gateway, give_up_boot_ns);
  if (answer.kind == Answer::Kind::good || lease_is_gone(answer)) return {};
  return failure(answer, "the lease cannot be ended");
}

Renewals OwnLease::renewals() const {
  const std::int64_t sent = renewal_.upkeep().until_boot_ns - ttl_.ns;
  return {sent, sent + waiters_pause(ttl_).ns + kLateNs, endpoint_};
}

Status OwnLease::prove(Gateway& gateway, std::int64_t give_up_boot_ns) {
  if (renew_by(gateway, give_up_boot_ns) != fleet::Renewed::yes)
    return error_of(Code::unavailable, 0,
                    "etcd: the lease cannot be renewed, so the command is not started");
  renewal_.renewed(gateway.asked_boot_ns());
  return {};
}

Status OwnLease::hold(Gateway& gateway, std::vector<HeldSlot> slots, Duration pause,
                      Duration reserve) {
  renewal_.stop();
  const std::int64_t sent = renewals().sent_boot_ns;
  gateway_.trade(gateway);
  held_slots_ = std::move(slots);
  look_at_boot_ns_ = os::boot_ns() + kFirstLookNs;
  return start(sent, pause, reserve);
}

Status OwnLease::start(std::int64_t sent_boot_ns, Duration pause, Duration reserve) {
  const int error = renewal_.start(*this, sent_boot_ns, ttl_, pause, reserve);
  if (error == 0) return {};
  return error_of(Code::internal, error, "cannot start the thread that renews the lease");
}

void OwnLease::let_go(Gateway& gateway) {
  renewal_.stop();
  gateway.trade(gateway_);
  held_slots_.clear();
}

fleet::Renewed OwnLease::renew_by(Gateway& gateway, std::int64_t give_up_boot_ns) const {
  bool gone = false;
  const auto believe = [&](std::string_view text) {
    const std::optional<LeaseReply> reply = parse_lease(text);
    if (!reply || reply->id != id_) return false;
    // For a lease that has ended, etcd answers with the number alone. An answer that lost a field
    // looks the same: check in another way.
    gone = reply->ttl == kAbsentTtl;
    return gone || reply->ttl > 0;
  };
  Answer answer = gateway.ask("lease/keepalive", lease_body(id_), give_up_boot_ns,
                              Gateway::Repeat::yes, believe);
  if (answer.kind == Answer::Kind::good && !gone) return fleet::Renewed::yes;
  if (answer.kind == Answer::Kind::unknown) return fleet::Renewed::unknown;
  std::int64_t left = 0;
  answer = gateway.ask("lease/timetolive", lease_body(id_), give_up_boot_ns, Gateway::Repeat::yes,
                       [&](std::string_view text) {
                         const std::optional<LeaseReply> reply = parse_lease(text);
                         if (!reply || reply->id != id_ || reply->ttl == kAbsentTtl) return false;
                         left = reply->ttl;
                         return true;
                       });
  return answer.kind == Answer::Kind::good && left == -1 ? fleet::Renewed::lost
                                                         : fleet::Renewed::unknown;
}

fleet::Renewed OwnLease::renew(std::int64_t give_up_boot_ns) {
  if (held_slots_.empty()) gateway_.go_to(wanted_);
  fleet::Renewed renewed = renew_by(gateway_, give_up_boot_ns);
  if (renewed == fleet::Renewed::yes && !held_slots_.empty())
    renewed = look(false, give_up_boot_ns);
  if (held_slots_.empty()) gateway_.hang_up();
  endpoint_ = gateway_.endpoint();
  return renewed;
}

bool OwnLease::asked_to_stop(std::int64_t until_boot_ns) {
  const bool waits = held_slots_.empty() || os::boot_ns() < look_at_boot_ns_;
  if (waits) {
    renewal_.rest(held_slots_.empty() ? until_boot_ns : std::min(until_boot_ns, look_at_boot_ns_));
    return false;
  }
  look_at_boot_ns_ = os::boot_ns() + std::clamp(ttl_.ns / 15, kShortestLookNs, kLongestLookNs);
  doubts_ = look(true, os::boot_ns() + kSecond) == fleet::Renewed::lost;
  return told_to_stop_;
}

// Reads our keys and what others want of us, and answers their questions. A majority confirms a
// renewal (queue_watch.h), or else the next caller finds the slots free; one member is enough for
// the looks between renewals. `lost`: our keys are not there.
fleet::Renewed OwnLease::look(bool of_one_member, std::int64_t give_up_boot_ns) {
  Txn txn;
  if (of_one_member) txn.of_one_member();
  for (const HeldSlot& each : held_slots_) {
    txn.range(each.prefix, end_of_prefix(each.prefix));
    txn.range(each.questions, end_of_prefix(each.questions));
    txn.range(each.held, each.last_held + '\0');
  }
  const Result<TxnReply> reply = Transactions(gateway_).read(txn, give_up_boot_ns);
  if (!reply.ok()) return fleet::Renewed::unknown;
  std::vector<KeyValue> asked;
  for (std::size_t i = 0; i < held_slots_.size(); ++i) {
    const HeldSlot& ours = held_slots_[i];
    const PartReply* const parts = &reply.value().parts[3 * i];
    told_to_stop_ = told_to_stop_ || heeds(parts[0].keys);
    std::uint32_t count = 0;
    for (const KeyValue& held : parts[2].keys) {
      if (held.lease != id_ || held.created != ours.token) continue;
      ++count;
      for (const KeyValue& question : parts[1].keys) {
        const bool to_us = Keys::slot_of(question.key) == Keys::slot_of(held.key);
        if (to_us && question.modified > held.modified) asked.push_back(held);
      }
    }
    if (count != ours.count) return fleet::Renewed::lost;
  }
  return asked.empty() || write_again(asked, give_up_boot_ns) ? fleet::Renewed::yes
                                                              : fleet::Renewed::unknown;
}

bool OwnLease::write_again(const std::vector<KeyValue>& keys, std::int64_t give_up_boot_ns) {
  Txn txn;
  for (const KeyValue& each : keys)
    txn.created_at(each.key, each.created).put(each.key, each.value, id_);
  return Transactions(gateway_).write(txn, give_up_boot_ns, Gateway::Repeat::yes).done();
}

bool OwnLease::heeds(const std::vector<KeyValue>& keys) const {
  for (const KeyValue& key : keys) {
    const std::optional<Ask> ask = parse_ask(key.value);
    for (const HeldSlot& each : held_slots_) {
      const bool ours = ask && ask->token == each.token && key.key.starts_with(each.prefix);
      // The age of the hold is measured by our own clock: the taker's may be wrong.
      if (ours && os::boot_ns() - each.since_boot_ns >= ask->due_ns) return true;
    }
  }
  return false;
}

}  // namespace atmost::etcd
