// Taking a slot over: the holder is asked through etcd and stops itself; one that cannot answer
// loses its lease in time.
#include "etcd_store.h"
#include "os/clock.h"
#include "view.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// A pressed holder is looked at often; etcd is asked less so.
constexpr Duration kLook = Duration::millis(50);

}  // namespace

Result<bool> EtcdStore::begin_takeover(std::uint32_t lock, std::uint32_t slot) {
  const std::int64_t end = give_up();
  Entry& entry = entries_[lock];
  if (lease_.id() == 0) {
    Request plain;
    if (Status leased = ensure_lease(plain, end); !leased.ok()) return leased.error();
  }
  if (begun_.contains({lock, slot})) return true;
  stop_following();  // while we press nobody listens
  Txn txn;
  txn.created_at(entry.keys.taking(slot), 0);
  txn.put(entry.keys.taking(slot), "{}", lease_.id());
  // Admissions that were decided before this must not be made after it.
  txn.put(entry.keys.state(), entry.seen.state.text(), lease_of(entry.seen.state));
  txn.modified_at(entry.keys.state(), entry.seen.state_modified);
  TxnReply reply;
  Answer answer;
  switch (write(txn, end, reply, answer)) {
    case Applied::yes:
      begun_.insert({lock, slot});
      entry.seen.state_modified = reply.header.revision;
      return true;
    case Applied::no:
      if (answer.kind == Answer::Kind::refused)
        return failure(answer, "the holder cannot be stopped");
      return false;
    case Applied::unknown:
      break;
  }
  return failure(answer, "the holder cannot be stopped");
}

Result<SignalResult> EtcdStore::press(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                                      SignalStep pressure) {
  leave_if_told();
  Entry& entry = entries_[lock];
  const std::int64_t now = os::boot_ns();
  const bool asks = pressure == SignalStep::interrupt;
  if (!asks && pressure != SignalStep::prove && now < plus(entry.looked_boot_ns, kLook) &&
      entry.last_pressed.token == hold) {
    entry.last_pressed.signalled = 0;
    return entry.last_pressed;
  }
  Txn look;
  look.range(entry.keys.held(slot));
  Result<TxnReply> reply = read(look, give_up());
  if (!reply.ok()) return reply.error();
  SignalResult pressed;
  pressed.token = hold;
  const std::vector<KeyValue>& keys = reply.value().parts[0].keys;
  pressed.held = keys.size() == 1 && keys[0].created == hold;
  if (pressed.held) {
    const HolderView view = holder_view({slot, hold, keys[0].lease, parse_record(keys[0].value)});
    pressed.pid = view.pid;
    pressed.host = view.host;
    pressed.id = view.id;
    pressed.command = view.command;
    pressed.noted = true;
    pressed.start = view.start;
  }
  if (pressed.held && asks) {
    Txn ask;
    ask.created_at(entry.keys.held(slot), hold);
    // Under the holder's own lease: what is asked of it goes with it.
    ask.put(entry.keys.asked(slot), Ask{hold, due_ns_}.text(), keys[0].lease);
    TxnReply written;
    Answer answer;
    pressed.signalled = write(ask, give_up(), written, answer) == Applied::yes ? 1 : 0;
  }
  entry.last_pressed = pressed;
  entry.looked_boot_ns = os::boot_ns();
  return pressed;
}

void EtcdStore::end_takeover(std::uint32_t lock, std::uint32_t slot) {
  // A lease that is over has taken it along.
  if (begun_.erase({lock, slot}) == 0 || lease_.id() == 0 || lock >= entries_.size()) return;
  Txn txn;
  txn.erase(entries_[lock].keys.taking(slot));
  TxnReply reply;
  Answer answer;
  (void)write(txn, give_up(), reply, answer, Gateway::Repeat::yes);
}

}  // namespace atmost::etcd
