// A holder's looks at its keys, and its answers to callers that ask it for something.
#include <algorithm>

#include "keys.h"
#include "os/clock.h"
#include "own_lease.h"
#include "records.h"

namespace atmost::etcd {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// The pause between two looks for requests to stop: a fifteenth of the ttl, within these bounds.
constexpr std::int64_t kShortestLookNs = kSecond;
constexpr std::int64_t kLongestLookNs = 5 * kSecond;

}  // namespace

// Reads, for each lock, what others want of us and our keys. `of_one_member`: the member of our one
// connection answers, as another one would have to accept a second connection.
std::optional<TxnReply> OwnLease::read_wishes(bool of_one_member, std::int64_t give_up_boot_ns) {
  Txn txn;
  if (of_one_member) txn.of_one_member();
  for (const HeldSlot& each : held_slots_) {
    const std::string& wishes = of_one_member ? each.prefix : each.questions;
    txn.range(wishes, end_of_prefix(wishes)).range(each.held, each.last_held + '\0');
  }
  std::optional<TxnReply> reply;
  const auto believe = [&](std::string_view text) {
    reply = parse_txn(text, txn.parts());
    return reply && reply->succeeded && gateway_.history().believes(reply->header);
  };
  const Answer answer =
      of_one_member
          ? gateway_.ask_here("kv/txn", txn.text(), give_up_boot_ns, believe)
          : gateway_.ask("kv/txn", txn.text(), give_up_boot_ns, Gateway::Repeat::yes, believe);
  if (answer.kind != Answer::Kind::good) reply.reset();
  return reply;
}

// A part of each renewal of a holder (presence.h): a majority confirms that our keys are there, or
// else the next caller finds the slots free; it also has the questions that are to be answered.
fleet::Renewed OwnLease::answer_questions(std::int64_t give_up_boot_ns) {
  const std::optional<TxnReply> reply = read_wishes(false, give_up_boot_ns);
  if (!reply) return fleet::Renewed::unknown;
  std::vector<KeyValue> asked;
  for (std::size_t i = 0; i < held_slots_.size(); ++i) {
    const HeldSlot& ours = held_slots_[i];
    std::uint32_t count = 0;
    for (const KeyValue& held : reply->parts[2 * i + 1].keys) {
      if (held.lease != id_ || held.created != ours.token) continue;
      ++count;
      for (const KeyValue& question : reply->parts[2 * i].keys) {
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
  const Answer answer = gateway_.ask(
      "kv/txn", txn.text(), give_up_boot_ns, Gateway::Repeat::yes, [&](std::string_view text) {
        const std::optional<TxnReply> reply = parse_txn(text, txn.parts());
        return reply && reply->succeeded;
      });
  return answer.kind == Answer::Kind::good;
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

// True if a taker asks us to stop; also looks whether our keys are there.
bool OwnLease::look() {
  look_at_boot_ns_ = os::boot_ns() + std::clamp(ttl_.ns / 15, kShortestLookNs, kLongestLookNs);
  const std::optional<TxnReply> reply = read_wishes(true, os::boot_ns() + kSecond);
  if (!reply) return false;
  for (std::size_t i = 0; i < held_slots_.size(); ++i) {
    const std::vector<KeyValue>& held = reply->parts[2 * i + 1].keys;
    if (heeds(reply->parts[2 * i].keys)) return true;
    if (held.empty() || held[0].created != held_slots_[i].token) doubts_ = true;
  }
  return false;
}

}  // namespace atmost::etcd
