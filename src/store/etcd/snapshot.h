// One lock as one answer of etcd shows it.
#ifndef ATMOST_STORE_ETCD_SNAPSHOT_H
#define ATMOST_STORE_ETCD_SNAPSHOT_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/time.h"
#include "keys.h"
#include "records.h"
#include "ring.h"
#include "rule/facts.h"
#include "wire.h"

namespace atmost::etcd {

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
    std::uint64_t modified = 0;  // its last answer (presence.h)
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

}  // namespace atmost::etcd

#endif
