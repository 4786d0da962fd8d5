// One question to etcd, and what is made of its answer.
#include "etcd_store.h"
#include "os/clock.h"
#include "words.h"

namespace atmost::etcd {

Result<TxnReply> EtcdStore::read(const Txn& txn, std::int64_t give_up_boot_ns) {
  std::optional<TxnReply> reply;
  const Answer answer =
      gateway_.ask("kv/txn", txn.text(), give_up_boot_ns, Gateway::Repeat::yes, [&](std::string_view text) {
        reply = parse_txn(text, txn.parts());
        return reply && reply->succeeded && ledger_.believes(reply->header);
      });
  if (answer.kind != Answer::Kind::good) return failure(answer, "the lock cannot be read");
  return std::move(*reply);
}

EtcdStore::Applied EtcdStore::write(const Txn& txn, std::int64_t give_up_boot_ns, TxnReply& reply,
                                    Answer& answer, Gateway::Repeat repeat) {
  answer = gateway_.ask("kv/txn", txn.text(), give_up_boot_ns, repeat, [&](std::string_view text) {
    std::optional<TxnReply> parsed = parse_txn(text, txn.parts());
    if (!parsed || !ledger_.believes(parsed->header)) return false;
    reply = std::move(*parsed);
    return true;
  });
  if (answer.kind == Answer::Kind::unknown) return Applied::unknown;
  if (answer.kind == Answer::Kind::refused || !reply.succeeded) return Applied::no;
  ledger_.note(reply.header.revision);
  return Applied::yes;
}

Status EtcdStore::look(const Request& request, const Ticket* queue, std::int64_t give_up_boot_ns) {
  Txn txn;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    ask_for_snapshot(entries_[i].keys, viewer(request, i, queue), txn);
  }
  Result<TxnReply> reply = read(txn, give_up_boot_ns);
  if (!reply.ok()) return reply.error();
  std::size_t part = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (!take_snapshot(entry.keys, viewer(request, i, queue), reply.value(), part, entry.seen)) {
      Error alien = error_of(Code::unavailable, 0, entry.spec.name);
      alien.message.append(
          ": etcd holds something there that atmost did not write; look with etcdctl get --prefix ");
      alien.message.append(entry.keys.admission());
      return alien;
    }
  }
  return {};
}

}  // namespace atmost::etcd
