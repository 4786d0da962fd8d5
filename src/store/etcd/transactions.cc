#include "transactions.h"

#include "core/time.h"
#include "hint_lease.h"
#include "os/clock.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// Contention is short: callers that come at the same time, once each.
constexpr int kTries = 32;

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

Applied Transactions::write(const Txn& txn, std::int64_t give_up_boot_ns, TxnReply& reply,
                            Answer& answer, Gateway::Repeat repeat) {
  const auto believe = [&](std::string_view text) {
    std::optional<TxnReply> parsed = parse_txn(text, txn.parts(), txn.other_parts());
    if (!parsed || !gateway_.history().believes(parsed->header)) return false;
    reply = std::move(*parsed);
    return true;
  };
  for (bool made = false;;) {
    answer = gateway_.ask("kv/txn", txn.text(), give_up_boot_ns, repeat, believe);
    // If the caller's own lease is the missing one, etcd refuses again.
    if (made || !lease_is_gone(answer) || !make_hint_lease(gateway_, give_up_boot_ns)) break;
    made = true;
  }
  if (answer.kind == Answer::Kind::unknown) return Applied::unknown;
  if (answer.kind == Answer::Kind::refused || !reply.succeeded) return Applied::no;
  gateway_.history().note(reply.header.revision);
  return Applied::yes;
}

std::uint64_t Transactions::write(const Txn& txn, std::int64_t give_up_boot_ns,
                                  Gateway::Repeat repeat) {
  TxnReply reply;
  Answer answer;
  const Applied applied = write(txn, give_up_boot_ns, reply, answer, repeat);
  return applied == Applied::yes ? reply.header.revision : 0;
}

Status Transactions::change(const std::vector<std::string>& keys, std::string_view what,
                            std::int64_t give_up_boot_ns,
                            const std::function<bool(const Found&, Txn&)>& how) {
  Answer answer;
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
    TxnReply reply;
    if (write(txn, give_up_boot_ns, reply, answer) == Applied::yes) return {};
    if (answer.kind != Answer::Kind::good) return failure(answer, what);
  }
  answer = {Answer::Kind::unknown, "others change it all the time"};
  return failure(answer, what);
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
