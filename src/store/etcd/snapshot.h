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
#include "wire.h"

namespace atmost::etcd {

// How many waiters of a queue are looked at: by those who wait themselves, and with more before
// them are in no hurry; by those who tell how many there are, or whether one waits to run once
// more.
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
  };

  // A holder of the lock's one slot that we come after: what its place tells of its admission.
  struct Ahead {
    std::uint64_t admitted = 0;  // the revision; 0: it was not, as far as is known
    std::uint64_t state_modified = 0;
  };

  std::uint64_t revision = 0;
  std::uint64_t last_modified = 0;  // 0: never admitted
  std::uint64_t state_modified = 0;
  Stamp last;
  Stamp finish;
  Stamp success;
  Stamp ever;  // of the point that the request measures from
  State state;
  std::vector<Holder> holders;  // by slot
  std::map<std::uint32_t, std::int64_t>
      taken;  // slots that somebody takes over, and by which lease
  std::uint64_t cooling_modified =
      0;  // of the point that the request measures from; 0: there is none
  std::int64_t cooling_lease = 0;
  std::optional<Cooled> cooled;  // nothing: only its lease tells how long ago it was
  std::vector<Waiter> waiters;   // before us, oldest first: of our queue, and writers
  bool more_waiters = false;
  std::vector<Waiter> passed;  // whom our admission overtakes
  bool own_passed = false;     // others have overtaken us
  std::string predecessor;     // the key of the youngest waiter before us; empty: none
  Ahead ahead;                 // of the predecessor
  bool ticket_is_there = false;
  std::string alien;  // a key that is none of ours, by its name or its value; empty: none was seen
  bool too_deep =
      false;  // our place lies behind all that was looked at: neither of these two is known

  bool forgotten() const { return last_modified <= state.forgotten; }
};

// Whose view it is.
struct Viewer {
  const Request& request;
  const LockSpec& lock;
  std::uint64_t ticket = 0;  // 0: none
  std::int64_t lease = 0;    // 0: none
  bool last_chance = false;
  bool deep = false;  // looks for its place far behind the first
};

// Adds to `txn` what has to be read; take_snapshot() reads the answer's parts in the same order,
// from `part` on.
void ask_for_snapshot(const Keys& keys, const Viewer& viewer, Txn& txn);
// False: something in it is none of ours (`to.alien`), and nothing can be concluded.
bool take_snapshot(const Keys& keys, const Viewer& viewer, const TxnReply& reply, std::size_t& part,
                   Snapshot& to);

// Takes one key below admission() into a snapshot. False: none of ours.
bool take_key(const Keys& keys, const Viewer& viewer, const KeyValue& key, Snapshot& to);

// Whether its caller was overtaken.
bool is_passed(const KeyValue& place);
// What a place tells, of its holder if that is inside.
Snapshot::Ahead ahead_of(const KeyValue& place);

// Our predecessor, who held the lock's one slot, has let go of it at `revision`: the snapshot
// becomes what there is to see now if nobody else came in between. That is a guess, good for an
// admission that etcd makes only if it is true. False: not enough is known.
bool foresee(std::uint64_t revision, Snapshot& to);

// Brings a snapshot up to date with what a watch of admission() told, every change since its
// revision in order. True when something changed. Nothing: something in it is none of ours, and the
// snapshot is good for nothing any more.
std::optional<bool> take_changes(const Keys& keys, const Viewer& viewer, const WatchReply& changes,
                                 Snapshot& to);

}  // namespace atmost::etcd

#endif
