// The state of one lock in the database, read inside a transaction that has locked its row; and the
// view of a decision, built from it.
#ifndef ATMOST_STORE_POSTGRES_SNAPSHOT_H
#define ATMOST_STORE_POSTGRES_SNAPSHOT_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "connection.h"
#include "core/store.h"

namespace atmost::postgres {

// A moment of the server's clock, in microseconds since 1970.
using Micros = std::int64_t;

struct Holder {
  std::uint32_t slot = 0;
  std::uint64_t token = 0;
  bool expired = false;  // its lease has ended, as far as we know
  // It has ended by the server's clock. That clock may have been set, so the holder has time to
  // answer.
  bool doubted = false;
  std::int64_t left_us = 0;  // of its lease
  Micros since = 0;
  bool exclusive = false;
  std::optional<std::int64_t> expire_after_us;
  std::string host;
  std::int64_t boot = 0;
  std::int64_t pid = 0;
  std::uint32_t uid = 0;
  std::string id;
  std::string command;
};

// One lock as one caller sees it. The row of the lock is locked, so that meanwhile only renewals
// and the clock change anything.
struct Snapshot {
  std::uint64_t token = 0;
  bool drained = false;
  std::vector<std::uint32_t> drained_slots;
  std::vector<std::uint32_t> claimed_slots;  // others are stopping their holders
  std::optional<Micros> start, finish, success;
  std::optional<Micros> first_in_rate;  // of the last SnapshotOf::rate admissions
  std::uint64_t superseding = 0;        // the ticket of the newest waiter that replaces others
  Micros clock = 0;
  // How much longer there are no admissions; empty: this era was not seen before.
  std::optional<std::int64_t> pause_us;
  bool first_era = false;       // no era was ever seen
  std::int64_t longest_us = 0;  // of all leases that were ever granted
  std::vector<Holder> holders;  // by slot, the expired ones too
  // Of the other waiters whose places count:
  std::uint32_t waiters = 0;        // all
  std::uint32_t waiters_ahead = 0;  // with a better claim than ours
  std::int64_t owed = 0;            // the slots that those ahead want
  bool writer_ahead = false;
  bool rated_ahead = false;  // one of those ahead has a rate, and is due
  bool joiner = false;
  // How much longer our own place counts; empty: it is not there.
  std::optional<std::int64_t> place_left_us;
};

// The caller and the lock of a snapshot.
struct SnapshotOf {
  std::string key;  // the lock's
  const LockSpec* spec = nullptr;
  std::int64_t ticket = 0;  // 0: none
  const ClientId* client = nullptr;
  std::string clock;       // an SQL expression: the server's time for stamps
  std::uint32_t rate = 0;  // K of the request's rate
};

inline constexpr std::size_t kLookStatements = 4;

// Locks the lock's row (creating it if necessary) and reads everything, with kLookStatements
// statements. The transaction does not wait for the disk (unwaited()). They are separate because
// only a statement that begins after the row is locked sees what the last transaction with it
// wrote.
void add_look(std::vector<Statement>& to, const SnapshotOf& of);
// Reads their answers. Throws DatabaseError: malformed; or setup, when the transaction runs on
// another server process than the connection's (`backend`): a pooling proxy.
Snapshot read_look(std::span<const Rows> answers, std::int64_t backend);

// A moment of the server's clock in local time: its age by the server's clock, counted back from
// `now`.
Stamp stamp_of(Micros at, Micros clock, const Instant& now);
LastAdmission last_admission(const Snapshot& snapshot, const Instant& now);
HolderView holder_view(const Holder& holder, Micros clock, const Instant& now);

// The same lock for decide(), and the slots to take if it admits.
struct LockView {
  View view;
  std::vector<HolderView> holders;  // view.holders shows these
  std::vector<std::uint32_t> slots;
};
struct Asker {
  std::uint64_t ticket = 0;  // its place in the lock's queue; 0: none
  bool last_chance = false;  // it will not wait
};
void build_view(const Snapshot& snapshot, const Request& request, const LockSpec& spec,
                const Instant& now, const Asker& caller, LockView& to);

// A key that is a valid name of a row: printable ASCII. Keys are behind the last slash of a lock's
// path.
Result<std::string> key_of(const LockSpec& lock);

}  // namespace atmost::postgres

#endif
