// Every change of the state of a lock but an admission and a release.
#include "edits.h"

#include "facts.h"
#include "learned_runs.h"
#include "os/clock.h"
#include "statements.h"
#include "store.h"

namespace atmost::postgres {
namespace {

void edit_once(Connection& connection, const RowEdit& what, const std::string& clock,
               const std::function<void(rule::State&)>& edit, std::int64_t deadline) {
  std::vector<Statement> statements = {begin()};
  if (what.makes) {
    statements.push_back(
        {"INSERT INTO atmost.lock (name) VALUES ($1) ON CONFLICT DO NOTHING", {what.key}});
  }
  statements.push_back(read_row(what.key, 0, clock));
  const Rows row = std::move(connection.ask(statements, deadline).back());
  statements.clear();
  rule::LockPlan plan;
  if (row.count() > 0) {
    const Clocks clocks = {os::now(), os::boot_ns(), clock_of(row)};
    const rule::State before = state_of(row, clocks);
    plan.state = before;
    edit(plan.state);
    statements.push_back(write_row(what.key, before, plan, clocks, clock));
  }
  statements.insert(statements.end(), what.further.begin(), what.further.end());
  statements.push_back(commit());
  statements.push_back(on_disk());
  connection.ask(statements, deadline);
}

}  // namespace

Status edit_row(Client& client, const RowEdit& what,
                const std::function<void(rule::State&)>& edit) {
  rule::State none;
  edit(none);
  return client.run(
      [&](Connection& connection, std::int64_t deadline) {
        try {
          edit_once(connection, what, client.settings.clock, edit, deadline);
        } catch (const DatabaseError&) {
          connection.abandon(deadline);
          throw;
        }
      },
      what.makes);
}

Status PostgresStore::set_drained(const Request& request, std::uint32_t slot, bool drained) {
  const ClientUse client(*this);
  if (slot > kMaxSlots) return atmost::error_of(Code::usage, 0, "no such slot");
  const Result<std::string> key = key_of(request.locks[0]);
  if (!key.ok()) return key.error();
  // A lock that is opened is opened whole.
  const Statement slots = {
      "UPDATE atmost.lock SET drained_slots = CASE WHEN $2 = 0 AND $3 THEN drained_slots WHEN $2 = "
      "0 THEN '{}' WHEN $3 THEN array_append(array_remove(drained_slots, $2::integer), $2) ELSE "
      "array_remove(drained_slots, $2) END WHERE name = $1",
      {key.value(), number(slot), truth(drained)},
      0,
      "UPDATE 1"};
  return edit_row(*client.operator->(), {key.value(), true, {slots, wake_first(key.value())}},
                  [&](rule::State& to) {
                    if (slot == 0) to.drained = drained;
                  });
}

Status PostgresStore::forget(const Request& request) {
  const ClientUse client(*this);
  const Result<std::string> key = key_of(request.locks[0]);
  if (!key.ok()) return key.error();
  const Status done = edit_row(*client.operator->(), {.key = key.value()}, rule::forget);
  if (!done.ok()) return done;
  const Statement learned = forget_runs(key.value());
  return client->run(
      [&](Connection& connection, std::int64_t deadline) {
        try {
          connection.ask(std::span(&learned, 1), deadline);
        } catch (const DatabaseError& failure) {
          // The tables are an older version's, or it has not been let into the new one.
          if (!failure.is(kNoTable) && !failure.is(kNoPrivilege)) throw;
        }
      },
      false);
}

}  // namespace atmost::postgres
