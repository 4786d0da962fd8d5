// One lock in etcd, as the rule asks for it.
#ifndef ATMOST_STORE_ETCD_FACTS_H
#define ATMOST_STORE_ETCD_FACTS_H

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "core/turn.h"
#include "rule/table.h"
#include "snapshot.h"
#include "transactions.h"

namespace atmost::etcd {

// Stays the same from look to look: turns that began by the clock of another machine count from the
// moment when this caller first saw them, so they are never too short.
class EtcdFacts final : public rule::TableFacts {
 public:
  explicit EtcdFacts(Transactions& transactions) : transactions_(transactions) {}

  // Begins a look. `cooled_ns`: the time since the admission that the interval counts from, by
  // etcd's own clock; -1: long ago, or never. Borrows `seen` and `keys`, and adds to it the waiters
  // that the rule asks for beyond those that were read.
  void look(Snapshot& seen, const Keys& keys, const CallerPlace& place,
            const Admissions& admissions, std::int64_t cooled_ns, const Instant& now,
            std::int64_t turns_boot_ns);

  // The waiters before that ticket that claim something: all but those that are early, wait for
  // something else, or have had their turn.
  struct Claimant {
    std::int64_t lease = 0;
    std::string key;
  };
  std::vector<Claimant> claimants(std::uint64_t ticket) const;

  std::int64_t last_boot_ns() override;
  std::uint32_t waiting(std::uint32_t enough) override;
  bool ancestor() override;

 private:
  LastAdmission last(std::int64_t cooled_ns) const;
  rule::Table::Queued queued(const Snapshot::Waiter& from);
  std::int64_t turn_of(const Snapshot::Waiter& waiter);
  bool read_more() override;

  struct SeenTurn {
    Turn turn;
    std::int64_t seen_boot_ns = 0;
  };

  Transactions& transactions_;
  Snapshot* seen_ = nullptr;
  const Keys* keys_ = nullptr;
  const Request* request_ = nullptr;
  const LockSpec* lock_ = nullptr;
  const Admissions* admissions_ = nullptr;
  Instant now_;
  std::int64_t turns_boot_ns_ = 0;
  std::map<std::uint64_t, SeenTurn> turns_;  // by ticket
  std::vector<HolderView> holders_;
  std::vector<std::uint32_t> taken_over_;
  std::vector<rule::Table::Queued> places_;
  std::vector<Stamp> ring_;
};

}  // namespace atmost::etcd

#endif
