// Locks in etcd, through its JSON gateway: transactions of our own, never /v3/lock (docs/fleet.md
// says what lies where).
//
// Everything a caller writes for itself lies under one lease, which a thread renews. When its
// process dies, or its machine, or the way to etcd is lost, the lease ends within its ttl (plus
// what a change of etcd's leader adds), and with it the caller's slots and its place in the queue.
//
// Fail closed: an admission is a transaction that etcd applies only if nothing was admitted,
// drained or taken over since what it was decided on, and if the very slots are free. What it was
// decided on is an answer, or an answer and every change since that a watch told: should either be
// wrong or late, etcd refuses. It is believed once our keys were read after it. That is a read
// within the same transaction: etcd makes sure there that our lease is alive, and that the keys are
// there under it, at the very revision that is our token; a read of its own would show them as they
// were a moment later, no more. How long they are ours from then on follows from when the last
// renewal was sent, read or not, and is looked at last. An admission whose answer was lost or
// cannot be believed is settled by reading all anew.
//
// While a caller waits its renewals have to be answered (own_lease.cc); when one is overdue a
// question only a majority can answer is asked, and one that is not answered by any member within
// the timeout ends the wait: Code::unavailable.
#ifndef ATMOST_STORE_ETCD_ETCD_STORE_H
#define ATMOST_STORE_ETCD_ETCD_STORE_H

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/store.h"
#include "gateway.h"
#include "own_lease.h"
#include "snapshot.h"
#include "store/fleet/parting.h"

namespace atmost::etcd {

// One request and one lease at a time. When etcd does not answer, each call returns after the
// timeout of its Access, await() too. Single-threaded callers; a thread of its own renews the
// lease.
class EtcdStore final : public FleetStore {
 public:
  // `alone`: it is the only one of the process, and may take notice of the signals that end it: a
  // waiter that is told to end gives its place up first.
  EtcdStore(const Access& access, bool alone);
  ~EtcdStore();

  // No last admission by the caller's clock: intervals are etcd's own to measure.
  Capabilities capabilities() const override {
    Capabilities can = {true, true, true, true, true, true, true, true};
    can.last_admission = false;
    return can;
  }
  Result<Decision> attempt(const Request& request, DecideFn decide, const Instant& now,
                           Ticket* queue, Lease& lease) override;
  Result<Wake> await(const Request& request, Ticket& ticket,
                     std::int64_t deadline_boot_ns) override;
  void withdraw(const Request& request, Ticket& ticket) override;
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override;
  Status set_drained(const Request& request, std::uint32_t slot, bool drained) override;
  Result<bool> begin_takeover(std::uint32_t lock, std::uint32_t slot) override;
  Result<SignalResult> press(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                             SignalStep pressure) override;
  void end_takeover(std::uint32_t lock, std::uint32_t slot) override;
  Result<std::uint32_t> count_refusal(const Request& request, std::uint32_t lock) override;
  bool contested(std::uint32_t handle, std::uint32_t lock) const override;
  Upkeep upkeep(std::uint32_t handle) const override;
  Status forget(const Request& request) override;
  const HeldLock& held(std::uint32_t handle, std::uint32_t lock) const override;
  void release(std::uint32_t handle, Ending ending, const Instant& now) override;
  Result<std::size_t> next_keys(std::string_view after, std::span<Text<255>> to) override;
  Result<Code> diagnose(int fd, bool json) override;
  Text<80> own_lease() const override;
  Status end_lease(std::string_view name) override;

 private:
  // One lock of the request at hand.
  struct Entry {
    Keys keys;
    LockSpec spec;
    Snapshot seen;
    HeldLock held;
    // The interval that its admission begins.
    struct Interval {
      std::int64_t lease = 0;  // 0: none
      std::int64_t span_s = 0;
      std::int64_t asked_boot_ns = 0;   // for the lease
      std::int64_t moment_boot_ns = 0;  // that it counts from, as it is written
    } interval;
    std::int64_t cooled_ns = -1;  // how long ago the last moment was; -1: there is none
    std::int64_t looked_boot_ns = 0;
    SignalResult last_pressed;
    bool deep = false;           // its place in the queue lies far behind the first
    std::uint64_t in_queue = 0;  // how many were when it drew its place
    bool place_kept = false;     // while it holds the slot
    std::string milestone;  // a place so far before ours that we are near when it is gone; empty:
                            // none is known
    // Of slots that are owed to others: there was no admission after this revision, and nobody took
    // them since.
    std::uint64_t idle_revision = 0;  // 0: none is
    std::int64_t idle_since_boot_ns = 0;

    void note_idle(std::uint64_t revision);
    // When those to whom they are owed have had their turns.
    std::int64_t turns_end_boot_ns() const;
  };
  enum class Applied : std::uint8_t { yes, no, unknown };
  // What flow_ watches: the place of the waiter before us, or the admissions of the lock that
  // refused us.
  enum class Watched : std::uint8_t { nothing, place, admissions };

  Status open(const Request& request);
  std::int64_t give_up() const;
  Viewer viewer(const Request& request, std::size_t lock, const Ticket* queue) const;
  // After an error: a lease that nobody can be asked to end ends by itself.
  Error give_in(Error error);
  Status ensure_lease(const Request& request, std::int64_t give_up_boot_ns);
  // Ends this process if it was told to, after giving up what it has.
  void leave_if_told();

  // remembering.cc: what is of use for a while lies under a lease that all callers of ten minutes
  // share.
  std::int64_t memory_lease() const;
  // The one for a/state: none while something in it was ordered.
  std::int64_t lease_of(const State& state) const;
  // Makes it, if that may be what etcd missed. False: it is not that, or cannot be made.
  bool make_memory(const Answer& answer, std::int64_t give_up_boot_ns);

  // transact.cc: one question. An Error: no answer, or etcd refused.
  Result<TxnReply> read(const Txn& txn, std::int64_t give_up_boot_ns);
  // `repeat`: it may be done twice.
  Applied write(const Txn& txn, std::int64_t give_up_boot_ns, TxnReply& reply, Answer& answer,
                Gateway::Repeat repeat = Gateway::Repeat::no);
  // Changes a/state as `change` says, against all who do so at the same time; false from `change`:
  // leave it.
  template <class Change>
  Status change_state(const Keys& keys, Change change);
  void ask_for_snapshots(const Request& request, const Ticket* queue, Txn& txn);
  Status take_snapshots(const Request& request, const Ticket* queue, const TxnReply& reply);
  Status look(const Request& request, const Ticket* queue, std::int64_t give_up_boot_ns);
  // Whether a majority is there: asks what only one can answer. True: whom we follow in the queue
  // has gone, and we were not told.
  Result<bool> ask_majority();

  // admit.cc
  Result<Decision> decide_all(const Request& request, DecideFn decide, const Instant& now,
                              const Ticket* queue, std::int64_t give_up_boot_ns);
  // yes: our keys are there; no: something was not as we saw it, and now we see it as it is;
  // unknown: only a look can tell.
  Result<Applied> admit(const Request& request, const Instant& now, Ticket* queue,
                        std::int64_t give_up_boot_ns);
  void add_admission(const Request& request, std::uint32_t lock, const Viewer& who,
                     const Instant& now, const std::vector<std::uint32_t>& slots, Txn& txn);
  // Whether a key of this very caller, with its own record, stands under a lease that is not its
  // own.
  bool stands_in_its_own_way(const Request& request, const Instant& now) const;
  // Whether the transaction's last parts show all our keys as it made them.
  bool proves(const Request& request, const TxnReply& reply);
  bool holds_all() const;
  bool lost_place(const Ticket* queue) const;
  Result<Decision> enter(const Request& request, Ticket* queue, Lease& lease);
  void take_up(const Request& request);

  // interval.cc
  Status read_cooled(const Request& request, Entry& entry, std::int64_t give_up_boot_ns);
  Result<std::int64_t> grant(std::int64_t seconds, std::int64_t give_up_boot_ns);
  Status prepare_intervals(const Request& request, std::int64_t give_up_boot_ns);
  static void begin_interval(Entry& entry, bool given, Txn& txn);
  Status settle_intervals(bool given);
  void bear_witness(const Request& request, const Entry& entry, std::int64_t give_up_boot_ns);

  // doctor.cc. `took`: how long each step took, in words.
  Status try_everything(std::string& took);

  // queue.cc
  // False: it was not, for the lease is gone, or that is not known: then it has been given up
  // again.
  Result<bool> draw(const Request& request, const Instant& now, Ticket& ticket,
                    std::int64_t give_up_boot_ns);
  // Whether the request keeps its place while it holds the slot.
  bool keeps_place() const {
    return entries_.size() == 1 && entries_[0].spec.mode == Mode::plain &&
           entries_[0].spec.max == 1;
  }
  // A turn is used or passed: whoever could take what is owed to it and does not within a second is
  // overtaken, and keeps its place.
  void pass_turns(const Request& request, const Ticket* queue);
  // Who asks once has no second to wait for: those whose leases have not been renewed for long do
  // not count.
  Status pass_the_dead(const Request& request, std::int64_t give_up_boot_ns);
  Result<bool> is_silent(std::int64_t lease, std::int64_t give_up_boot_ns);
  // Others have overtaken us, and here we are: they wait for us again.
  Status stand_up(const Request& request, const Instant& now, const Ticket& ticket,
                  std::int64_t give_up_boot_ns);
  // False: look again.
  Result<bool> begin_following(const Ticket& ticket);
  void watch(Watched what, std::uint64_t from_revision);
  std::uint64_t watch_begun();
  bool is_near(const Entry& entry) const;
  Result<bool> still_behind(Entry& entry);
  void move_up();
  void stop_following();
  // A moment's rest, and another endpoint; false.
  bool trouble();
  // Whether what we watch can be relied on; not: look again.
  Result<bool> still_hears();
  Result<Wake> follow(const Request& request, const Ticket& ticket, std::int64_t until_boot_ns);
  // Whether there is reason to ask again.
  bool heed(const Request& request, const Ticket& ticket, const std::string& line);

  Access access_;
  Ledger ledger_;
  Gateway gateway_;
  OwnLease lease_;
  std::unique_ptr<Flow> flow_;
  Watched watched_ = Watched::nothing;
  std::size_t flows_from_ = 0;  // the endpoint
  bool foreseen_ = false;       // what was seen of it is a guess (foresee())
  bool up_to_date_ =
      false;              // what was seen of the one lock is, with every change that the flow tells
  Renewals followed_at_;  // as they were when we began to wait for it
  fleet::Parting parting_;
  const bool alone_;
  std::vector<Entry> entries_;
  std::vector<std::string> opened_;  // the paths of entries_
  bool holding_ = false;
  std::int64_t admitted_boot_ns_ = 0;
  std::int64_t due_ns_ = 0;    // how old a holder has to be to be stopped for the request at hand
  std::uint32_t blocked_ = 0;  // the lock that refused
  Duration if_elapsed_;        // of the admission
  ElapsedFrom elapsed_from_ = ElapsedFrom::start;
  std::set<std::pair<std::uint32_t, std::uint32_t>> begun_;  // lock and slot that we take over
  std::vector<HolderView> holders_;
};

// The store that etcd://HOST:PORT[,HOST:PORT...]/PREFIX names; one for the process, never given
// back. Asks nothing of the network yet. Errors (usage) do not repeat the URL.
Result<FleetStore*> open_store(std::string_view url);

}  // namespace atmost::etcd

#endif
