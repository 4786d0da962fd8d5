// One lock in etcd, as its caller last saw it and the rule asks for it.
#ifndef ATMOST_STORE_ETCD_FACTS_H
#define ATMOST_STORE_ETCD_FACTS_H

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/time.h"
#include "core/turn.h"
#include "keys.h"
#include "records.h"
#include "ring.h"
#include "rule/facts.h"
#include "rule/table.h"
#include "store/fleet/locks.h"
#include "transactions.h"
#include "wire.h"

namespace atmost::etcd {

// One lock as one answer of etcd shows it.

// So many waiters are read at once.
inline constexpr unsigned kPage = 64;
// A waiter with so many before it, or fewer, watches the lock: one of them may not use its turn.
inline constexpr unsigned kNear = 4;

struct Snapshot {
  struct Holder {
    std::uint32_t slot = 0;
    std::uint64_t token = 0;  // the key's creation
    std::int64_t lease = 0;
    std::optional<Record> record;
    std::uint64_t modified = 0;  // its last answer (queue_watch.h)
  };
  struct Waiter {
    std::uint64_t ticket = 0;
    std::int64_t lease = 0;
    std::string key;
    Record record;
    rule::Queue queue = 0;
  };

  std::uint64_t revision = 0;
  std::uint64_t last_modified = 0;  // 0: never admitted
  std::uint64_t state_modified = 0;
  Stamp last;
  std::uint64_t last_place = 0;     // the machine whose clock it is by; 0: not known
  std::optional<Ring> ring;         // no caller has had a rate: none
  std::uint64_t ring_modified = 0;  // 0: none
  std::uint64_t superseding = 0;    // the last ticket drawn with --on-busy=supersede
  Stamp finish;
  Stamp success;
  Stamp ever;  // the point that the request measures from
  State state;
  std::vector<Holder> holders;  // by slot
  // Slots that are being taken over, and the takers' leases.
  std::map<std::uint32_t, std::int64_t> taken;
  std::map<std::uint32_t, std::uint64_t> questions;  // to holders: the revision, by slot
  // The key of the point that the request measures from; 0: there is none.
  std::uint64_t cooling_modified = 0;
  std::int64_t cooling_lease = 0;
  std::optional<Cooled> cooled;  // empty: only its lease shows how long ago it was
  // By ticket; our own place, too. Those of queues that no claim before the caller's can come from
  // are left out.
  std::vector<Waiter> waiters;
  bool more_waiters = false;   // some of them were not read
  std::uint64_t read_to = 0;   // the last ticket that was read, of all queues
  std::uint64_t queued = 0;    // waiters in all queues, our own place, too
  std::uint64_t in_queue = 0;  // waiters in the caller's own queue
  // Places of the own queue before ours, the youngest first: kNear + 1, or all if they are fewer.
  std::vector<std::string> before;
  bool place_is_there = false;
  std::string alien;  // a key that atmost did not write, by its name or its value; empty: none was
                      // seen

  bool forgotten() const { return last_modified <= state.forgotten; }
};

// The caller whose view it is.
struct CallerPlace {
  const Request& request;
  const LockSpec& lock;
  std::uint64_t ticket = 0;  // 0: none
  std::int64_t lease = 0;    // 0: none
  bool draws = false;        // the transaction that reads draws the ticket
};

// Adds to `txn` the reads of a snapshot; take_snapshot() reads the answer's parts in the same
// order, from `part` on.
void ask_for_snapshot(const Keys& keys, const CallerPlace& place, Txn& txn);
// False: a key in it was not written by atmost (`to.alien`), and nothing can be concluded.
bool take_snapshot(const Keys& keys, const CallerPlace& place, const TxnReply& reply,
                   std::size_t& part, Snapshot& to);
// The next waiters, which take_page() adds. False: as above.
void ask_for_page(const Keys& keys, const Snapshot& seen, Txn& txn);
bool take_page(const Keys& keys, const LockSpec& lock, const PartReply& part, Snapshot& to);

// Adds one key below admission() to a snapshot. False: atmost did not write it.
bool take_key(const Keys& keys, const CallerPlace& place, const KeyValue& key, Snapshot& to);

HolderView holder_view(const Snapshot::Holder& holder);
// As the rule has it. `last`: the token of the last admission.
rule::State rule_state(const State& state, std::uint64_t last);

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
