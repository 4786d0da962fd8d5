// One question to etcd, and what is made of its answer.
#include "etcd_store.h"
#include "os/clock.h"
#include "words.h"

namespace atmost::etcd {

Result<TxnReply> EtcdStore::read(const Txn& txn, std::int64_t give_up_boot_ns) {
  std::optional<TxnReply> reply;
  const Answer answer = gateway_.ask(
      "kv/txn", txn.text(), give_up_boot_ns, Gateway::Repeat::yes, [&](std::string_view text) {
        reply = parse_txn(text, txn.parts());
        return reply && reply->succeeded && ledger_.believes(reply->header);
      });
  if (answer.kind != Answer::Kind::good) return failure(answer, "the lock cannot be read");
  return std::move(*reply);
}

EtcdStore::Applied EtcdStore::write(const Txn& txn, std::int64_t give_up_boot_ns, TxnReply& reply,
                                    Answer& answer, Gateway::Repeat repeat) {
  for (bool made = false;;) {
    answer =
        gateway_.ask("kv/txn", txn.text(), give_up_boot_ns, repeat, [&](std::string_view text) {
          std::optional<TxnReply> parsed = parse_txn(text, txn.parts(), txn.other_parts());
          if (!parsed || !ledger_.believes(parsed->header)) return false;
          reply = std::move(*parsed);
          return true;
        });
    // Should our own lease be missed, it is so again.
    if (made || !make_memory(answer, give_up_boot_ns)) break;
    made = true;
  }
  if (answer.kind == Answer::Kind::unknown) return Applied::unknown;
  if (answer.kind == Answer::Kind::refused || !reply.succeeded) return Applied::no;
  ledger_.note(reply.header.revision);
  return Applied::yes;
}

void EtcdStore::ask_for_snapshots(const Request& request, const Ticket* queue, Txn& txn) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    ask_for_snapshot(entries_[i].keys, viewer(request, i, queue), txn);
  }
}

Status EtcdStore::take_snapshots(const Request& request, const Ticket* queue,
                                 const TxnReply& reply) {
  std::size_t part = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    Entry& entry = entries_[i];
    if (!take_snapshot(entry.keys, viewer(request, i, queue), reply, part, entry.seen)) {
      return alien_key(entry.seen.alien);
    }
  }
  return {};
}

Status EtcdStore::look(const Request& request, const Ticket* queue, std::int64_t give_up_boot_ns) {
  for (bool again = true; again;) {
    Txn txn;
    ask_for_snapshots(request, queue, txn);
    Result<TxnReply> reply = read(txn, give_up_boot_ns);
    if (!reply.ok()) return reply.error();
    if (Status taken = take_snapshots(request, queue, reply.value()); !taken.ok()) return taken;
    again = false;
    for (Entry& entry : entries_) {
      again = again || entry.seen.too_deep;
      entry.deep = entry.seen.too_deep || (entry.deep && !entry.seen.predecessor.empty());
    }
  }
  return {};
}

Result<bool> EtcdStore::ask_majority() {
  // A transaction with a read waits for a majority, whether that is made then or not; as a rule
  // this one makes none.
  Txn txn;
  const bool follows = watched_ == Watched::place;
  if (follows) {
    txn.created_at(entries_[blocked_].seen.predecessor, 0);
  } else {
    txn.otherwise();
  }
  txn.range(access_.prefix + "/");
  bool missed = false;
  const Answer answer = gateway_.ask(
      "kv/txn", txn.text(), give_up(), Gateway::Repeat::yes, [&](std::string_view text) {
        const std::optional<TxnReply> reply = parse_txn(text, txn.parts(), txn.other_parts());
        if (!reply || (!reply->succeeded && !follows) || !ledger_.believes(reply->header))
          return false;
        missed = follows && reply->succeeded;
        return true;
      });
  if (answer.kind != Answer::Kind::good) return failure(answer, "waiting is over");
  return missed;
}

}  // namespace atmost::etcd
