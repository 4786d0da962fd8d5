// This caller's lease in etcd: everything that it writes for itself ends with the lease.
//
// Members have a limited number of connections. While the caller waits, each renewal opens a
// connection for the milliseconds that it takes. A holder keeps one connection: that of its
// admission, once a renewal has succeeded on it. The holder polls the same connection at short
// intervals for requests to stop, because a watch would need a second one.
#ifndef ATMOST_STORE_ETCD_OWN_LEASE_H
#define ATMOST_STORE_ETCD_OWN_LEASE_H

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "gateway.h"
#include "store/fleet/renewal.h"

namespace atmost::etcd {

// The held slots of one lock: the keys under which a taker asks us to stop, and since when we hold
// the slot.
struct HeldSlot {
  std::string prefix;     // Keys::asked()
  std::string questions;  // Keys::questions()
  std::string held;       // the keys of our slots, the first and the last; they are there as long
  std::string last_held;  // as our lease is
  std::uint32_t count = 0;
  std::uint64_t token = 0;
  std::int64_t since_boot_ns = 0;
};

// The state of renewals at the thread's last look.
struct Renewals {
  std::int64_t sent_boot_ns = 0;  // the last one that succeeded
  std::int64_t due_boot_ns = 0;   // by then the next one should have succeeded
  std::size_t endpoint = 0;       // the one that answered last
};

// One owner; the renewal's thread has a gateway of its own.
class OwnLease final : private fleet::Renewer {
 public:
  OwnLease(const Access& access, ClusterHistory& history) : gateway_(access, history) {}
  ~OwnLease() { renewal_.stop(); }

  // Gets a lease through `gateway`, and keeps it renewed. Does nothing if there is one.
  Status ensure(Gateway& gateway, Duration ttl, std::int64_t give_up_boot_ns);
  // 0: none.
  std::int64_t id() const { return abandoned_ ? 0 : id_; }
  // Ends it, and with it every key under it; at once if etcd answers before `give_up_boot_ns`
  // (true), else within its ttl.
  bool end(Gateway& gateway, std::int64_t give_up_boot_ns);
  // The same for the lease of another caller.
  static Status end_of(std::int64_t id, Gateway& gateway, std::int64_t give_up_boot_ns);
  // Renews no more, for good. Blocks while a renewal is under way.
  void forsake();
  // The same, for a lease that cannot be ended because etcd does not answer. Does not block.
  void abandon();

  Upkeep upkeep() const;
  Renewals renewals() const;
  // While the caller waits: each further renewal asks that member first, so that renewals show
  // whether it answers.
  void go_to(std::size_t endpoint) { wanted_ = endpoint; }

  // One renewal through `gateway`, to prove that renewals work there.
  Status prove(Gateway& gateway, std::int64_t give_up_boot_ns);
  // From now on renews every `pause`, until only `reserve` is left, on the connection of `gateway`,
  // which gets another one, and looks for requests to stop `slots`. Blocks while a renewal is under
  // way. REQUIRES: prove() by that gateway.
  Status hold(Gateway& gateway, std::vector<HeldSlot> slots, Duration pause, Duration reserve);
  // Renews no more, and gives the connection back. Blocks while a renewal is under way.
  void let_go(Gateway& gateway);

 private:
  fleet::Renewed renew(std::int64_t give_up_boot_ns) override;
  bool asked_to_stop(std::int64_t until_boot_ns) override;
  bool doubts() override { return std::exchange(doubts_, false); }

  Status start(std::int64_t sent_boot_ns, Duration pause, Duration reserve);
  fleet::Renewed renew_by(Gateway& gateway, std::int64_t give_up_boot_ns) const;
  fleet::Renewed look(bool of_one_member, std::int64_t give_up_boot_ns);
  bool write_again(const std::vector<KeyValue>& keys, std::int64_t give_up_boot_ns);
  bool heeds(const std::vector<KeyValue>& keys) const;

  std::int64_t id_ = 0;
  Duration ttl_;
  bool abandoned_ = false;
  Gateway gateway_;
  fleet::Renewal renewal_;
  // The thread's, while it runs; no slots: we wait.
  std::vector<HeldSlot> held_slots_;
  std::int64_t look_at_boot_ns_ = 0;
  bool told_to_stop_ = false;
  bool doubts_ = false;  // the last look missed one of our keys: the next renewal verifies it
  std::atomic<std::size_t> endpoint_ = 0;
  std::atomic<std::size_t> wanted_ = 0;
};

}  // namespace atmost::etcd

#endif
