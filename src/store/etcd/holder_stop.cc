#include "holder_stop.h"

#include "lock_state.h"
#include "os/clock.h"
#include "words.h"

namespace atmost::etcd {
namespace {

// Callers look often; etcd is asked less often.
constexpr Duration kLook = Duration::millis(50);

}  // namespace

Result<Owned<HolderStop>> EtcdHolderStop::begin(Caller& caller, std::uint32_t lock,
                                                std::uint32_t slot, std::uint64_t hold,
                                                std::int64_t due_ns) {
  const std::int64_t end = caller.give_up();
  OpenLock& open = caller.locks[lock];
  if (caller.lease.id() == 0) {
    if (Status leased = caller.ensure_lease(end); !leased.ok()) return leased.error();
  }
  Txn txn;
  txn.created_at(open.keys.taking(slot), 0);
  txn.put(open.keys.taking(slot), "{}", caller.lease.id());
  // Admissions that were decided before this must fail after it.
  txn.put(open.keys.state(), open.seen.state.text(),
          lease_of(open.seen.state, caller.gateway.access().prefix));
  txn.modified_at(open.keys.state(), open.seen.state_modified);
  TxnReply reply;
  Answer answer;
  const Applied applied = caller.transactions.write(txn, end, reply, answer);
  if (applied == Applied::yes) {
    open.seen.state_modified = reply.header.revision;
    return Owned<HolderStop>(new EtcdHolderStop(caller, lock, slot, hold, due_ns));
  }
  if (applied == Applied::no && answer.kind != Answer::Kind::refused) return Owned<HolderStop>();
  return failure(answer, "the holder cannot be stopped");
}

Result<SignalResult> EtcdHolderStop::signal(SignalStep step) {
  caller_.exit_if_terminated();
  const bool asks = step == SignalStep::interrupt;
  const bool fresh = last_.token == hold_ && os::boot_ns() < plus(looked_boot_ns_, kLook);
  if (fresh && !asks && step != SignalStep::prove) {
    last_.signalled = 0;
    return last_;
  }
  Txn look;
  look.range(keys().held(slot_));
  Result<TxnReply> reply = caller_.transactions.read(look, caller_.give_up());
  if (!reply.ok()) return reply.error();
  SignalResult found;
  found.token = hold_;
  const std::vector<KeyValue>& held = reply.value().parts[0].keys;
  found.held = held.size() == 1 && held[0].created == hold_;
  if (found.held) {
    const HolderView view =
        holder_view({slot_, hold_, held[0].lease, parse_record(held[0].value), 0});
    found.pid = view.pid;
    found.host = view.host;
    found.id = view.id;
    found.command = view.command;
    found.noted = true;
    found.start = view.start;
    if (asks && ask(held[0].lease)) found.signalled = 1;
  }
  last_ = found;
  looked_boot_ns_ = os::boot_ns();
  return found;
}

bool EtcdHolderStop::ask(std::int64_t holders_lease) {
  Txn txn;
  txn.created_at(keys().held(slot_), hold_);
  txn.put(keys().asked(slot_), Ask{hold_, due_ns_}.text(), holders_lease);
  return caller_.transactions.write(txn, caller_.give_up()) != 0;
}

void EtcdHolderStop::close() {
  // If the lease is over, the claim has gone with it.
  if (caller_.lease.id() != 0) {
    Txn txn;
    txn.erase(keys().taking(slot_));
    (void)caller_.transactions.write(txn, caller_.give_up(), Gateway::Repeat::yes);
  }
  delete this;
}

}  // namespace atmost::etcd
