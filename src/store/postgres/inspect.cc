#include "os/clock.h"
#include "snapshot.h"
#include "statements.h"
#include "store.h"

namespace atmost::postgres {
namespace {

// Reads the holders and waiters of one snapshot. No row is locked, nothing is written. `owner`: our
// own session could have its own advisory lock.
std::vector<Statement> questions(const std::string& key, const std::string& owner,
                                 const std::string& clock) {
  return {{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", {}, "BEGIN", 0},
          {"SELECT token, drained, " + or_none(micros("last_start")) + ", " +
               or_none(micros("last_finish")) + ", " + or_none(micros("last_success")) + ", " +
               micros(clock) + ", drained_slots FROM atmost.lock WHERE name = $1",
           {key},
           "SELECT",
           7},
          {"SELECT slot, token, " + micros("since") + ", " + or_none("expire_after") +
               ", host, pid, uid, id, command FROM atmost.holder WHERE lock = $1 AND expires > "
               "clock_timestamp() "
               "ORDER BY slot",
           {key},
           "SELECT",
           9},
          {"SELECT ticket, max, mode, host, pid, uid, " + micros("since") +
               ", id, command FROM atmost.waiter WHERE lock = $1 AND (owner = $2 OR " +
               waiter_is_kept() + ") ORDER BY ticket",
           {key, owner},
           "SELECT",
           9},
          {"COMMIT", {}, "COMMIT", 0}};
}

void show_holders(const Rows& rows, Micros clock, const Instant& now, LockVisitor& visitor) {
  for (int row = 0; row < rows.count(); ++row) {
    Holder one;
    one.slot = static_cast<std::uint32_t>(rows.integer(row, 0, 1, kMaxSlots));
    one.token = static_cast<std::uint64_t>(rows.integer(row, 1, 1));
    one.since = rows.integer(row, 2);
    one.expire_after_us = rows.maybe_integer(row, 3);
    one.host = rows.text(row, 4);
    one.pid = rows.integer(row, 5, 0);
    one.uid = static_cast<std::uint32_t>(rows.integer(row, 6, 0, UINT32_MAX));
    one.id = rows.bytes(row, 7);
    one.command = rows.bytes(row, 8);
    visitor.holder(holder_view(one, clock, now));
  }
}

void show_waiters(const Rows& rows, Micros clock, const Instant& now, LockVisitor& visitor) {
  for (int row = 0; row < rows.count(); ++row) {
    WaiterView one;
    one.ticket = static_cast<std::uint64_t>(rows.integer(row, 0, 1));
    one.max = static_cast<std::uint32_t>(rows.integer(row, 1, 0, kMaxSlots));
    one.mode = static_cast<Mode>(rows.integer(row, 2, 0, 2));
    one.host = Text<63>(rows.text(row, 3));
    one.pid = rows.integer(row, 4, 0);
    one.uid = static_cast<std::uint32_t>(rows.integer(row, 5, 0, UINT32_MAX));
    one.start = stamp_of(rows.integer(row, 6), clock, now);
    one.id = Text<63>(rows.bytes(row, 7));
    one.command = Text<63>(rows.bytes(row, 8));
    visitor.waiter(one);
  }
}

}  // namespace

Result<std::uint32_t> PostgresStore::inspect(const LockSpec& lock, const Instant& now,
                                             LockVisitor* visitor) {
  const ClientUse client(*this);
  const Result<std::string> key = key_of(lock);
  if (!key.ok()) return key.error();
  const std::vector<Statement> statements =
      questions(key.value(), client->id.owner, client->settings.clock);
  std::vector<Rows> answers;
  try {
    client->talk(
        [&](Connection& connection, std::int64_t deadline) {
          if (!connection.server().schema.empty()) answers = connection.ask(statements, deadline);
        },
        false);
    LockVisitor::Header header;
    if (answers.empty() || answers[1].count() == 0) {
      if (visitor != nullptr) visitor->header(header);
      return 0u;
    }
    Snapshot snapshot;
    const Rows& row = answers[1];
    header.exists = true;
    header.token = static_cast<std::uint64_t>(row.integer(0, 0, 0));
    header.drained = row.boolean(0, 1);
    snapshot.start = row.maybe_integer(0, 2);
    snapshot.finish = row.maybe_integer(0, 3);
    snapshot.success = row.maybe_integer(0, 4);
    snapshot.clock = row.integer(0, 5, 1);
    header.last = last_admission(snapshot, now);
    if (visitor != nullptr) {
      visitor->header(header);
      for (const std::uint32_t slot : row.slots(0, 6)) visitor->drained_slot(slot);
      show_holders(answers[2], snapshot.clock, now, *visitor);
      show_waiters(answers[3], snapshot.clock, now, *visitor);
    }
    return static_cast<std::uint32_t>(answers[2].count());
  } catch (const DatabaseError& failure) {
    return client->error_of(failure);
  }
}

}  // namespace atmost::postgres
