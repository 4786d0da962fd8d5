#include "learned_runs.h"

#include "store/fleet/stats_bytes.h"

namespace atmost::etcd {
namespace {

// The key of all locks is written at the end of every run that counts.
constexpr int kTries = 8;

}  // namespace

LearnedRuns::LearnedRuns(Gateway& gateway, const LockSpec& lock)
    : transactions_(gateway),
      lock_key_(Keys(gateway.access().prefix, lock_of(lock)).runs()),
      directory_key_(gateway.access().prefix + "/runs") {}

Status LearnedRuns::read(Found& to, std::int64_t give_up_boot_ns) {
  Txn txn;
  txn.range(lock_key_).range(directory_key_);
  const Result<TxnReply> reply = transactions_.read(txn, give_up_boot_ns);
  if (!reply.ok()) return reply.error();
  to = {};
  for (const KeyValue& key : reply.value().parts[0].keys) {
    fleet::read_bytes(key.value, to.lock);
    to.lock_modified = key.modified;
  }
  for (const KeyValue& key : reply.value().parts[1].keys) {
    fleet::read_bytes(key.value, to.directory);
    to.directory_modified = key.modified;
  }
  return {};
}

Status LearnedRuns::recall(LockStats& lock, DirectoryStats& directory) {
  Found found;
  if (Status read_both = read(found, transactions_.give_up()); !read_both.ok()) return read_both;
  lock = found.lock;
  directory = found.directory;
  return {};
}

bool LearnedRuns::learn(LearnFn how, const RunSample& sample) {
  const std::int64_t end = transactions_.give_up();
  for (int i = 0; i < kTries; ++i) {
    Found found;
    if (!read(found, end).ok()) return false;
    const bool suspicious = how(found.lock, found.directory, sample);
    Txn txn;
    txn.modified_at(lock_key_, found.lock_modified);
    txn.modified_at(directory_key_, found.directory_modified);
    txn.put(lock_key_, fleet::bytes_of(found.lock));
    txn.put(directory_key_, fleet::bytes_of(found.directory));
    TxnReply reply;
    Answer answer;
    if (transactions_.write(txn, end, reply, answer) == Applied::yes) return suspicious;
    if (answer.kind != Answer::Kind::good) return suspicious;
  }
  return false;
}

}  // namespace atmost::etcd
