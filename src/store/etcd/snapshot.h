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
#include "wire.h"

namespace atmost::etcd {

// How many waiters of a queue are read. A waiter reads kSeenInQueue: with more than that before it,
// its turn is not near. A caller that counts the waiters, or looks for one that waits to run once
// more, reads kSeenWaiters.
inline constexpr unsigned kSeenInQueue = 5;
inline constexpr unsigned kSeenWaiters = 64;

struct Snapshot {
  struct Holder {
    std::uint32_t slot = 0;
    std::uint64_t token = 0;  // the key's creation
    std::int64_t lease = 0;
    std::optional<Record> record;
  };
  struct Waiter {
    std::uint64_t ticket = 0;
    Record record;
    std::string key;
    std::int64_t lease = 0;
    bool early = false;  // its rate does not allow it yet
  };

  // The admission of our predecessor in the queue, which holds the lock's one slot, as its key
  // shows it.
  struct Ahead {
    std::uint64_t admitted = 0;  // the revision; 0: not admitted, as far as is known
    std::uint64_t state_modified = 0;
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
  // The key of the point that the request measures from; 0: there is none.
  std::uint64_t cooling_modified = 0;
  std::int64_t cooling_lease = 0;
  std::optional<Cooled> cooled;  // empty: only its lease shows how long ago it was
  std::vector<Waiter> waiters;   // before us, oldest first: of our queue, and writers
  bool more_waiters = false;
  std::uint32_t queued = 0;    // that wait in all queues, up to the request's limit
  std::vector<Waiter> passed;  // the waiters that our admission overtakes
  bool own_passed = false;     // others have overtaken us
  std::string predecessor;     // the key of the youngest waiter before us; empty: none
  Ahead ahead;                 // of the predecessor
  bool ticket_is_there = false;
  std::string alien;  // a key that atmost did not write, by its name or its value; empty: none was
                      // seen
  // Our place lies behind all that was read: `predecessor` and `ticket_is_there` are not known.
  bool too_deep = false;

  bool forgotten() const { return last_modified <= state.forgotten; }
};

// The caller whose view it is.
struct CallerPlace {
  const Request& request;
  const LockSpec& lock;
  std::uint64_t ticket = 0;  // 0: none
  std::int64_t lease = 0;    // 0: none
  bool last_chance = false;
  bool deep = false;  // looks for its place far behind the first
};

// Adds to `txn` the reads of a snapshot; take_snapshot() reads the answer's parts in the same
// order, from `part` on.
void ask_for_snapshot(const Keys& keys, const CallerPlace& place, Txn& txn);
// False: a key in it was not written by atmost (`to.alien`), and nothing can be concluded.
bool take_snapshot(const Keys& keys, const CallerPlace& place, const TxnReply& reply,
                   std::size_t& part, Snapshot& to);

// Adds one key below admission() to a snapshot. False: atmost did not write it.
bool take_key(const Keys& keys, const CallerPlace& place, const KeyValue& key, Snapshot& to);

// Whether the caller of the place was overtaken.
bool is_passed(const KeyValue& place);
// The admission of the waiter's caller, as its key shows it.
Snapshot::Ahead ahead_of(const KeyValue& place);

// Our predecessor released the lock's one slot at `revision`: changes the snapshot to the present
// state if no other caller came in between. This is a guess, but a safe one: etcd makes the
// admission only if it is true. False: not enough is known.
bool foresee(std::uint64_t revision, Snapshot& to);

// Updates a snapshot with the changes that a watch of admission() reported: all of them since its
// revision, in order. True when something changed. Empty: a key was not written by atmost, and the
// snapshot must not be used any more.
std::optional<bool> take_changes(const Keys& keys, const CallerPlace& place,
                                 const WatchReply& changes, Snapshot& to);

}  // namespace atmost::etcd

#endif
