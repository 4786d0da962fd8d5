// Locks in etcd, through its JSON gateway: transactions of our own, never /v3/lock (docs/fleet.md says what lies where).
//
// Everything a caller writes for itself lies under one lease, which a thread renews. When its process dies, or its machine,
// or the way to etcd is lost, the lease ends within its ttl (plus what a change of etcd's leader adds), and with it the
// caller's slots and its place in the queue.
//
// Fail closed: an admission is a transaction that etcd applies only if nothing was admitted, drained or taken over since
// the answer that it was decided on, and if the very slots are free; it is believed once our keys have been read again.
#ifndef ATMOST_STORE_ETCD_ETCD_STORE_H
#define ATMOST_STORE_ETCD_ETCD_STORE_H

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atmost/store.h"
#include "gateway.h"
#include "own_lease.h"
#include "snapshot.h"
#include "store/fleet/parting.h"

namespace atmost::etcd {

// One request and one lease at a time. Blocks for at most the timeout of its Access in each call, but in await().
// Single-threaded callers; a thread of its own renews the lease.
class EtcdStore final : public FleetStore {
 public:
  // `alone`: it is the only one of the process, and may take notice of the signals that end it: a waiter that is told to
  // end gives its place up first.
  EtcdStore(const Access& access, bool alone);
  ~EtcdStore();

  // No last admission by the caller's clock: intervals are etcd's own to measure.
  Capabilities capabilities() const override {
    Capabilities can = {true, true, true, true, true, true, true, true};
    can.last_admission = false;
    return can;
  }
  Result<Decision> attempt(const Request& request, DecideFn decide, const Instant& now, Ticket* queue,
                           Lease& lease) override;
  Result<Wake> await(const Request& request, Ticket& ticket, std::int64_t deadline_boot_ns) override;
  void withdraw(const Request& request, Ticket& ticket) override;
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now, LockVisitor* visitor) override;
  Status set_drained(const Request& request, std::uint32_t slot, bool drained) override;
  Result<bool> begin_takeover(std::uint32_t lock, std::uint32_t slot) override;
  Result<Pressed> press(std::uint32_t lock, std::uint32_t slot, std::uint64_t hold,
                        Pressure pressure) override;
  void end_takeover(std::uint32_t lock, std::uint32_t slot) override;
  Result<std::uint32_t> count_refusal(const Request& request, std::uint32_t lock) override;
  bool contested(std::uint32_t handle, std::uint32_t lock) const override;
  Upkeep upkeep(std::uint32_t handle) const override;
  Status forget(const Request& request) override;
  const HeldLock& held(std::uint32_t handle, std::uint32_t lock) const override;
  void release(std::uint32_t handle, Ending ending, const Instant& now) override;
  Result<std::size_t> next_keys(std::string_view after, std::span<Text<255>> to) override;
  Result<bool> diagnose(int fd, bool json) override;

 private:
  // One lock of the request at hand.
  struct Entry {
    Keys keys;
    LockSpec spec;
    Snapshot seen;
    HeldLock held;
    std::int64_t cooling = 0;  // the lease of its interval, to be
    std::int64_t looked_boot_ns = 0;
    Pressed last_pressed;
  };
  enum class Applied : std::uint8_t { yes, no, unknown };

  Status open(const Request& request);
  std::int64_t give_up() const;
  Viewer viewer(const Request& request, std::size_t lock, const Ticket* queue) const;
  Status ensure_lease(const Request& request, std::int64_t give_up_boot_ns);
  // Ends this process if it was told to, after giving up what it has.
  void leave_if_told();

  // transact.cc: one question. An Error: no answer, or etcd refused.
  Result<TxnReply> read(const Txn& txn, std::int64_t give_up_boot_ns);
  // `repeat`: it may be done twice.
  Applied write(const Txn& txn, std::int64_t give_up_boot_ns, TxnReply& reply, Answer& answer,
                Gateway::Repeat repeat = Gateway::Repeat::no);
  // Changes a/state as `change` says, against all who do so at the same time; false from `change`: leave it.
  template <class Change>
  Status change_state(const Keys& keys, Change change);
  Status look(const Request& request, const Ticket* queue, std::int64_t give_up_boot_ns);

  // admit.cc
  Result<Decision> decide_all(const Request& request, DecideFn decide, const Instant& now,
                              const Ticket* queue, std::int64_t give_up_boot_ns);
  Result<std::int64_t> cooled_ns(const Request& request, Entry& entry, std::int64_t give_up_boot_ns);
  Result<bool> admit(const Request& request, const Instant& now, Ticket* queue, std::int64_t give_up_boot_ns);
  Status prepare_intervals(const Request& request, ElapsedFrom from, std::int64_t give_up_boot_ns);
  bool holds_all() const;
  bool read_again(std::int64_t give_up_boot_ns);
  void take_up(const Request& request);
  Result<std::int64_t> grant_interval(Duration interval, std::int64_t give_up_boot_ns);

  // queue.cc
  // False: it is not known whether it was drawn; then it has been given up again.
  Result<bool> draw(const Request& request, const Instant& now, Ticket& ticket, std::int64_t give_up_boot_ns);
  Result<Wake> follow(std::int64_t until_boot_ns);

  Access access_;
  Ledger ledger_;
  Gateway gateway_;
  OwnLease lease_;
  std::unique_ptr<Flow> flow_;
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

// The store that etcd://HOST:PORT[,HOST:PORT...]/PREFIX names; one for the process, never given back. Asks nothing of the
// network yet. Errors (usage) do not repeat the URL.
Result<FleetStore*> open_store(std::string_view url);

}  // namespace atmost::etcd

#endif
