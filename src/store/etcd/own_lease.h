// This caller's lease in etcd: everything that it writes for itself goes with it.
#ifndef ATMOST_STORE_ETCD_OWN_LEASE_H
#define ATMOST_STORE_ETCD_OWN_LEASE_H

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "gateway.h"
#include "store/fleet/renewal.h"

namespace atmost::etcd {

// Where somebody who takes a slot of ours over would ask us to stop, and since when we hold it.
struct Listening {
  std::string prefix;  // Keys::asked()
  std::string held;    // a key that is there as long as our lease is
  std::uint64_t token = 0;
  std::int64_t since_boot_ns = 0;
};

// One owner; the renewal's thread has a gateway of its own.
class OwnLease final : private fleet::Keeper {
 public:
  OwnLease(const Access& access, Ledger& ledger);
  ~OwnLease();

  // Asks for one, by `gateway`, and keeps it renewed; nothing happens while there is one.
  Status ensure(Gateway& gateway, Duration ttl, Duration pause, std::int64_t give_up_boot_ns);
  // 0: none.
  std::int64_t id() const { return abandoned_ ? 0 : id_; }
  // Ends it, and with it every key under it; at once if etcd answers before `give_up_boot_ns`, else within its ttl.
  void end(Gateway& gateway, std::int64_t give_up_boot_ns);
  // Renews no more, for good. Blocks while a renewal is under way.
  void forsake();
  // The same for a lease that etcd cannot be told to end. Does not block.
  void abandon();

  Upkeep upkeep() const;
  void listen(std::vector<Listening> to);

 private:
  fleet::Renewed renew(std::int64_t give_up_boot_ns) override;
  bool asked_to_stop(std::int64_t until_boot_ns) override;
  bool doubts() override { return std::exchange(doubts_, false); }
  void wake() override;

  bool rest(std::int64_t until_boot_ns);
  bool look();
  bool keys_are_gone(std::int64_t give_up_boot_ns);
  bool heeds(const std::vector<KeyValue>& keys) const;
  bool follow(std::int64_t until_boot_ns);

  std::int64_t id_ = 0;
  bool abandoned_ = false;
  Gateway gateway_;
  std::unique_ptr<Flow> flow_;
  fleet::Renewal renewal_;
  int bell_[2] = {-1, -1};
  std::mutex mutex_;  // over heard_
  std::vector<Listening> heard_;
  std::vector<Listening> listening_;  // the thread's copy
  std::int64_t listen_at_boot_ns_ = 0;
  bool doubts_ = false;
  bool key_missed_ = false;  // of ours, by a watch: to be made sure of
};

}  // namespace atmost::etcd

#endif
