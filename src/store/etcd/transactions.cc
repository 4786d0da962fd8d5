#include "transactions.h"

#include "core/time.h"
#include "gateway.h"
#include "os/clock.h"

namespace atmost::etcd {
namespace {

// Contention is short: callers that come at the same time, once each.
constexpr int kTries = 32;
constexpr std::int64_t kStepS = 600;
constexpr std::int64_t kDayS = 86400;

}  // namespace

std::int64_t Transactions::give_up() const {
  return plus(os::boot_ns(), gateway_.access().timeout);
}

Result<TxnReply> Transactions::read(const Txn& txn, std::int64_t give_up_boot_ns) {
  std::optional<TxnReply> reply;
  const Answer answer = gateway_.ask(
      "kv/txn", txn.text(), give_up_boot_ns, Gateway::Repeat::yes, [&](std::string_view text) {
        reply = parse_txn(text, txn.parts());
        return reply && reply->succeeded && gateway_.history().believes(reply->header);
      });
  if (answer.kind != Answer::Kind::good) return failure(answer, "the lock cannot be read");
  return std::move(*reply);
}

Written Transactions::write(const Txn& txn, std::int64_t give_up_boot_ns, Gateway::Repeat repeat) {
  Written written;
  const auto believe = [&](std::string_view text) {
    std::optional<TxnReply> parsed = parse_txn(text, txn.parts(), txn.other_parts());
    if (!parsed || !gateway_.history().believes(parsed->header)) return false;
    written.reply = std::move(*parsed);
    return true;
  };
  for (bool made = false;; made = true) {
    written.answer = gateway_.ask("kv/txn", txn.text(), give_up_boot_ns, repeat, believe);
    // If the caller's own lease is the missing one, etcd refuses again.
    if (made || !lease_is_gone(written.answer) || !make_hint_lease(give_up_boot_ns)) break;
  }
  if (written.done()) gateway_.history().note(written.revision());
  return written;
}

Status Transactions::change(const std::vector<std::string>& keys, std::string_view what,
                            std::int64_t give_up_boot_ns,
                            const std::function<bool(const Found&, Txn&)>& how) {
  for (int i = 0; i < kTries; ++i) {
    Txn look;
    for (const std::string& key : keys) look.range(key);
    const Result<TxnReply> seen = read(look, give_up_boot_ns);
    if (!seen.ok()) return seen.error();
    Txn txn;
    Found found;
    for (const PartReply& part : seen.value().parts) {
      txn.modified_at(keys[found.size()], part.keys.empty() ? 0 : part.keys[0].modified);
      found.push_back(part.keys.empty() ? std::nullopt : std::optional(part.keys[0]));
    }
    if (!how(found, txn)) return {};
    const Written written = write(txn, give_up_boot_ns);
    if (written.done()) return {};
    if (!written.outdated()) return failure(written.answer, what);
  }
  return failure({Answer::Kind::unknown, "others change it all the time"}, what);
}

std::int64_t Transactions::hint_lease() const {
  const std::int64_t step = os::now().real_ns / (kStepS * 1'000'000'000);
  std::uint64_t mixed = 0xcbf29ce484222325;
  for (const char c : gateway_.access().prefix + '#' + std::to_string(step)) {
    mixed = (mixed ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  return static_cast<std::int64_t>(mixed >> 1 | 1);
}

// Unless it exists. False: it cannot be made.
bool Transactions::make_hint_lease(std::int64_t give_up_boot_ns) {
  const std::int64_t id = hint_lease();
  const std::string body =
      "{\"ID\":\"" + std::to_string(id) + "\",\"TTL\":\"" + std::to_string(kDayS + kStepS) + "\"}";
  const Answer made = gateway_.ask("lease/grant", body, give_up_boot_ns, Gateway::Repeat::yes,
                                   [&](std::string_view text) {
                                     const std::optional<LeaseReply> reply = parse_lease(text);
                                     return reply && reply->id == id && reply->ttl > 0;
                                   });
  const bool exists =
      made.kind == Answer::Kind::refused && made.text.find("already exists") != std::string::npos;
  return made.kind == Answer::Kind::good || exists;
}

Result<std::int64_t> Transactions::grant(std::int64_t seconds, std::int64_t give_up_boot_ns) {
  LeaseReply reply;
  const std::string body = "{\"TTL\":\"" + std::to_string(seconds) + "\"}";
  const Answer answer = gateway_.ask("lease/grant", body, give_up_boot_ns, Gateway::Repeat::yes,
                                     [&](std::string_view text) {
                                       const std::optional<LeaseReply> parsed = parse_lease(text);
                                       if (!parsed || parsed->ttl < seconds) return false;
                                       reply = *parsed;
                                       return true;
                                     });
  if (answer.kind != Answer::Kind::good)
    return failure(answer, "no lease is granted for the interval");
  return reply.id;
}

Result<LeaseReply> Transactions::time_to_live(std::int64_t lease, std::string_view what,
                                              std::int64_t give_up_boot_ns) {
  LeaseReply reply;
  const std::string body = "{\"ID\":\"" + std::to_string(lease) + "\"}";
  const Answer answer = gateway_.ask(
      "lease/timetolive", body, give_up_boot_ns, Gateway::Repeat::yes, [&](std::string_view text) {
        const std::optional<LeaseReply> parsed = parse_lease(text);
        if (!parsed || parsed->id != lease || parsed->ttl == kAbsentTtl) return false;
        reply = *parsed;
        return parsed->ttl < 0 || parsed->granted >= parsed->ttl;
      });
  if (answer.kind != Answer::Kind::good) return failure(answer, what);
  return reply;
}

}  // namespace atmost::etcd
