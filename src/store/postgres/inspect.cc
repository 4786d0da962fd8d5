#include "facts.h"
#include "os/clock.h"
#include "statements.h"
#include "store.h"

namespace atmost::postgres {
namespace {

// Reads the holders and waiters of one snapshot. No row is locked, nothing is written. `owner`: our
// own session could have its own advisory lock.
std::vector<Statement> questions(const std::string& key, const std::string& owner,
                                 const std::string& clock) {
  Statement row = read_row(key, 0, clock);
  row.sql.erase(row.sql.find(" FOR UPDATE"));
  return {{"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"},
          row,
          {"SELECT " + holder_columns() +
               " FROM atmost.holder WHERE lock = $1 AND expires > clock_timestamp() ORDER BY slot",
           {key},
           kHolderColumns},
          {"SELECT ticket, max, mode, host, pid, uid, " + micros("since") +
               ", id, command FROM atmost.waiter WHERE lock = $1 AND (owner = $2 OR " +
               waiter_is_kept() + ") ORDER BY ticket",
           {key, owner},
           9},
          {"COMMIT"}};
}

void show_waiters(const Rows& rows, const Clocks& clocks, LockVisitor& visitor) {
  for (int row = 0; row < rows.count(); ++row) {
    WaiterView one;
    one.ticket = static_cast<std::uint64_t>(rows.integer(row, 0, 1));
    one.max = static_cast<std::uint32_t>(rows.integer(row, 1, 0, kMaxSlots));
    one.mode = static_cast<Mode>(rows.integer(row, 2, 0, 2));
    one.host = Text<63>(rows.text(row, 3));
    one.pid = rows.integer(row, 4, 0);
    one.uid = static_cast<std::uint32_t>(rows.integer(row, 5, 0, UINT32_MAX));
    one.start = clocks.stamp(rows.integer(row, 6));
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
  LockVisitor::Header header;
  std::uint32_t holders = 0;
  const Status done = client->run(
      [&](Connection& connection, std::int64_t deadline) {
        const std::vector<Rows> answers = connection.ask(statements, deadline);
        const Rows& row = answers[1];
        if (row.count() == 0) return;
        const Clocks clocks = {now, now.boot_ns, clock_of(row)};
        const rule::State state = state_of(row, clocks);
        header.exists = true;
        header.token = state.token;
        header.drained = state.drained;
        header.last = state.last;
        holders = static_cast<std::uint32_t>(answers[2].count());
        if (visitor == nullptr) return;
        visitor->header(header);
        for (const std::uint32_t slot : drained_of(row)) visitor->drained_slot(slot);
        for (int i = 0; i < answers[2].count(); ++i)
          visitor->holder(read_holder(answers[2], i, 0, clocks).view);
        show_waiters(answers[3], clocks, *visitor);
      },
      false);
  if (!done.ok()) return done.error();
  if (!header.exists && visitor != nullptr) visitor->header(header);
  return holders;
}

}  // namespace atmost::postgres
