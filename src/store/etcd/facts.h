// One lock in etcd, as its caller last saw it and the rule asks for it.
#ifndef ATMOST_STORE_ETCD_FACTS_H
#define ATMOST_STORE_ETCD_FACTS_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/turn.h"
#include "rule/table.h"
#include "snapshot.h"
#include "store/fleet/locks.h"
#include "transactions.h"

namespace atmost::etcd {

// The interval that an admission begins (intervals.h).
struct Interval {
  std::int64_t lease = 0;  // 0: none
  std::int64_t span_s = 0;
  std::int64_t asked_boot_ns = 0;   // when the lease was asked for
  std::int64_t moment_boot_ns = 0;  // the moment that it counts from, as written
};

// One lock of an open session, as its caller last saw it. Turns that began by the clock of another
// machine count from the moment when this caller first saw them, so they are never too short.
class LockFacts final : public rule::TableFacts {
 public:
  LockFacts(const std::string& prefix, const LockSpec& wanted, Transactions& transactions)
      : keys(prefix, fleet::key_of(wanted)), spec(wanted), transactions_(transactions) {}

  // Begins the judgement of what was seen. Adds to it the waiters that the rule asks for beyond
  // those that were read.
  void begin(const CallerPlace& place, const Instant& now, std::int64_t turns_boot_ns);

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

  const Keys keys;
  const LockSpec& spec;  // of the request
  Snapshot seen;         // its revision is 0 until the caller looked
  Interval interval;
  // The time since the moment that the request's interval counts from, by etcd's own clock; -1:
  // long ago, or never.
  std::int64_t cooled_ns = -1;
  std::optional<Ring::Entry> admitted;  // our admission, as it was written into the ring
  Admissions admissions;                // set by Rates::see()

 private:
  LastAdmission last() const;
  rule::Table::Queued queued(const Snapshot::Waiter& from);
  std::int64_t turn_of(const Snapshot::Waiter& waiter);
  bool read_more() override;

  struct SeenTurn {
    Turn turn;
    std::int64_t seen_boot_ns = 0;
  };

  Transactions& transactions_;
  const Request* request_ = nullptr;
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
