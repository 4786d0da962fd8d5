#include "transactions.h"

#include "core/time.h"
#include "hint_lease.h"
#include "os/clock.h"
#include "words.h"

namespace atmost::etcd {

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
