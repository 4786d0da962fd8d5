// Stopping a holder: it is asked through etcd and stops itself; if it cannot answer, its lease ends
// in time.
#include "gateway.h"
#include "session.h"
#include "store/fleet/locks.h"

namespace atmost::etcd {
namespace {

// Changes of a lock's state are rare.
constexpr int kTries = 32;

// On the heap; close() frees it. Its claim on the slot lies under the caller's lease, which may end
// before.
class EtcdHolderStop final : public fleet::AskedStop {
 public:
  // `due_ns`: the age that the hold must have for its holder to stop.
  EtcdHolderStop(Caller& caller, const Keys& keys, std::uint32_t slot, std::uint64_t hold,
                 std::int64_t due_ns)
      : caller_(caller), keys_(keys), slot_(slot), hold_(hold), due_ns_(due_ns) {}

  void close() override;

 private:
  Result<SignalResult> ask(SignalStep step) override;
  // Leaves a note for the holder, under the holder's lease: the note goes with it.
  bool leave_note(std::int64_t holders_lease);

  Caller& caller_;
  const Keys& keys_;
  const std::uint32_t slot_;
  const std::uint64_t hold_;
  const std::int64_t due_ns_;
};

Result<SignalResult> EtcdHolderStop::ask(SignalStep step) {
  caller_.exit_if_terminated();
  Txn look;
  look.range(keys_.held(slot_));
  Result<TxnReply> reply = caller_.transactions.read(look, caller_.give_up());
  if (!reply.ok()) return reply.error();
  SignalResult found;
  found.token = hold_;
  const std::vector<KeyValue>& held = reply.value().parts[0].keys;
  found.held = held.size() == 1 && held[0].created == hold_;
  if (!found.held) return found;
  const HolderView view =
      holder_view({slot_, hold_, held[0].lease, parse_record(held[0].value), 0});
  found.pid = view.pid;
  found.host = view.host;
  found.id = view.id;
  found.command = view.command;
  found.noted = true;
  found.start = view.start;
  if (step == SignalStep::interrupt && leave_note(held[0].lease)) found.signalled = 1;
  return found;
}

bool EtcdHolderStop::leave_note(std::int64_t holders_lease) {
  Txn txn;
  txn.created_at(keys_.held(slot_), hold_);
  txn.put(keys_.asked(slot_), Ask{hold_, due_ns_}.text(), holders_lease);
  return caller_.transactions.write(txn, caller_.give_up()).done();
}

void EtcdHolderStop::close() {
  // If the lease is over, the claim has gone with it.
  if (caller_.lease.id() != 0) {
    Txn txn;
    txn.erase(keys_.taking(slot_));
    (void)caller_.transactions.write(txn, caller_.give_up(), Gateway::Repeat::yes);
  }
  delete this;
}

}  // namespace

Result<Owned<HolderStop>> EtcdSession::stop(std::uint32_t lock, std::uint32_t slot,
                                            std::uint64_t hold, StopFor what_for) {
  watch_.stop();  // the watch is not read while a holder is being stopped
  LockFacts& open = caller_.locks[lock];
  // A decision to take the lock over fails if its snapshot has changed. Without a decision, look at
  // the lock now, again and again until nothing changes it in between.
  const bool decided = what_for == StopFor::its_place && open.seen.revision != 0;
  const Request& request = caller_.request;
  const bool any_age =
      what_for == StopFor::kill || may_replace_ || request.expire_after.is_forever();
  for (int i = 0; i < kTries; ++i) {
    if (!decided) {
      if (Status looked = caller_.look(nullptr); !looked.ok()) return looked.error();
      if (open.seen.taken.contains(slot)) break;
    }
    const Result<bool> claimed = claim(open, slot);
    if (!claimed.ok()) return claimed.error();
    if (claimed.value())
      return Owned<HolderStop>(new EtcdHolderStop(caller_, open.keys, slot, hold,
                                                  any_age ? 0 : request.expire_after.ns));
    if (decided) break;
  }
  return Owned<HolderStop>();
}

// Admissions that were decided before are refused. False: another taker has claimed the slot, or
// the lock has changed since it was seen.
Result<bool> EtcdSession::claim(LockFacts& open, std::uint32_t slot) {
  const std::int64_t end = caller_.give_up();
  if (caller_.lease.id() == 0) {
    if (Status leased = caller_.ensure_lease(end); !leased.ok()) return leased.error();
  }
  Txn txn;
  txn.created_at(open.keys.taking(slot), 0);
  txn.put(open.keys.taking(slot), "{}", caller_.lease.id());
  caller_.put_state(open.keys, open.seen.state, txn);
  txn.modified_at(open.keys.state(), open.seen.state_modified);
  const Written written = caller_.transactions.write(txn, end);
  if (written.done()) open.seen.state_modified = written.revision();
  if (written.done() || written.outdated()) return written.done();
  return failure(written.answer, "the holder cannot be stopped");
}

}  // namespace atmost::etcd
