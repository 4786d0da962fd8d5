#include "own_lease.h"

#include <sys/random.h>

#include <algorithm>

#include "os/clock.h"
#include "records.h"
#include "words.h"

namespace atmost::etcd {
namespace {

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kMillisecond;
// A holder's first look for requests to stop.
constexpr std::int64_t kFirstLookNs = kSecond;
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
  handed_slots_.clear();
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
  if (const int error = renewal_.start(*this, sent, ttl, waiters_pause(ttl))) {
    return error_of(Code::internal, error, "cannot start the thread that renews the lease");
  }
  return {};
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
  return {sent, sent + waiters_pause(ttl_).ns + kLateNs, stumbles_, endpoint_};
}

Status OwnLease::prove(Gateway& gateway, std::int64_t give_up_boot_ns) {
  if (renew_by(gateway, give_up_boot_ns) != fleet::Renewed::yes)
    return error_of(Code::unavailable, 0,
                    "etcd: the lease cannot be renewed, so the command is not started");
  renewal_.renewed(gateway.asked_boot_ns());
  return {};
}

void OwnLease::hold(Gateway& gateway, std::vector<HeldSlot> slots, Duration pause,
                    Duration reserve) {
  {
    const std::lock_guard locked(mutex_);
    handed_.trade(gateway);
    handed_slots_ = std::move(slots);
  }
  renewal_.set_pause(pause, reserve);
  renewal_.wake();
}

void OwnLease::let_go(Gateway& gateway) {
  renewal_.stop();
  // The thread may have ended before it took the connection.
  gateway.trade(handed_slots_.empty() ? gateway_ : handed_);
  handed_slots_.clear();
  held_slots_.clear();
}

// Takes over the connection and the slots from hold(), if there are any.
void OwnLease::take_over_holding() {
  const std::lock_guard locked(mutex_);
  if (handed_slots_.empty()) return;
  gateway_.trade(handed_);
  handed_.hang_up();
  held_slots_ = std::move(handed_slots_);
  handed_slots_.clear();
  look_at_boot_ns_ = os::boot_ns() + kFirstLookNs;
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
  take_over_holding();
  if (held_slots_.empty()) gateway_.go_to(wanted_);
  const std::size_t before = gateway_.endpoint();
  fleet::Renewed renewed = renew_by(gateway_, give_up_boot_ns);
  if (renewed == fleet::Renewed::yes && !held_slots_.empty())
    renewed = answer_questions(give_up_boot_ns);
  if (held_slots_.empty()) gateway_.hang_up();
  if (renewed != fleet::Renewed::yes || gateway_.endpoint() != before) ++stumbles_;
  endpoint_ = gateway_.endpoint();
  return renewed;
}

bool OwnLease::asked_to_stop(std::int64_t until_boot_ns) {
  take_over_holding();
  if (held_slots_.empty()) {
    renewal_.rest(until_boot_ns);
    return false;
  }
  if (os::boot_ns() < look_at_boot_ns_) {
    renewal_.rest(std::min(until_boot_ns, look_at_boot_ns_));
    return false;
  }
  return look();
}

}  // namespace atmost::etcd
