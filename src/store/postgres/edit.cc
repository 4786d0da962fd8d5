// Changes of a lock without a caller that wants a slot: its row, and what was learned of its runs.
#include "facts.h"
#include "os/clock.h"
#include "schema.h"
#include "session.h"
#include "statements.h"
#include "store/fleet/locks.h"

namespace atmost::postgres {
namespace {

bool is_drain(const Edit& edit) {
  return edit.what == Edit::What::drain || edit.what == Edit::What::resume;
}

// A lock that is opened is opened whole.
Statement drain_slots(const std::string& key, const Edit& edit) {
  return {
      "UPDATE atmost.lock SET drained_slots = CASE WHEN $2 = 0 AND $3 THEN drained_slots WHEN $2 = "
      "0 THEN '{}' WHEN $3 THEN array_append(array_remove(drained_slots, $2::integer), $2) ELSE "
      "array_remove(drained_slots, $2) END WHERE name = $1",
      {key, number(edit.slot), truth(edit.what == Edit::What::drain)},
      0,
      "UPDATE 1"};
}

// Reads the lock's row, which is locked, edits its state and writes it. Only a drain makes a row
// that is missing. Returns the count.
std::uint32_t edit_row(Connection& connection, const std::string& key, const Edit& edit,
                       const std::string& clock, std::int64_t deadline) {
  std::vector<Statement> statements = {begin()};
  if (is_drain(edit)) {
    statements.push_back(
        {"INSERT INTO atmost.lock (name) VALUES ($1) ON CONFLICT DO NOTHING", {key}});
  }
  statements.push_back(read_row(key, 0, clock));
  const Rows row = std::move(connection.ask(statements, deadline).back());
  statements.clear();
  const Clocks clocks = {os::now(), os::boot_ns(), row.count() > 0 ? clock_of(row) : 0};
  const rule::State before = row.count() > 0 ? state_of(row, clocks) : rule::State();
  rule::LockPlan plan;
  plan.state = before;
  const std::uint32_t count = rule::edit(plan.state, edit);
  if (row.count() > 0) statements.push_back(write_row(key, before, plan, clocks, clock));
  if (is_drain(edit)) statements.push_back(drain_slots(key, edit));
  if (is_drain(edit)) statements.push_back(wake_first(key));
  statements.push_back(commit());
  statements.push_back(on_disk());
  connection.ask(statements, deadline);
  return count;
}

// The memory of the runs of a lock is a row of atmost.runs, that of all locks the row without a
// name (core/stats.h). Only callers that ask for learned limits read and write these.
Statement read_learned(const std::string& key, const char* how) {
  return {std::string("SELECT runs FROM atmost.runs WHERE name = $1") + how, {key}, 1};
}

Statement write_learned(const std::string& key, const std::string& bytes) {
  return {
      "INSERT INTO atmost.runs (name, runs) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET runs "
      "= $2",
      {key, hex_of(bytes)}};
}

template <class T>
void take_learned(const Rows& rows, T& stats) {
  fleet::read_bytes(rows.count() > 0 ? rows.bytes(0, 0) : std::string(), stats);
}

bool learn_once(Connection& connection, const std::string& key, LearnFn how,
                const RunSample& sample, std::int64_t deadline) {
  // In this order everywhere, so that no two transactions wait for each other.
  const Statement look[] = {begin(), read_learned(key, " FOR UPDATE"),
                            read_learned("", " FOR UPDATE")};
  const std::vector<Rows> found = connection.ask(look, deadline);
  LockStats lock;
  DirectoryStats directory;
  take_learned(found[1], lock);
  take_learned(found[2], directory);
  const bool suspicious = how(lock, directory, sample);
  const Statement write[] = {write_learned(key, fleet::bytes_of(lock)),
                             write_learned("", fleet::bytes_of(directory)), commit()};
  connection.ask(write, deadline);
  return suspicious;
}

// Both are empty where the table is missing (an older version made the others) or may not be read.
Status recall_runs(Client& client, const std::string& key, LockStats& lock,
                   DirectoryStats& directory) {
  lock = {};
  directory = {};
  return client.run(
      [&](Connection& connection, std::int64_t deadline) {
        const Statement look[] = {read_learned(key, ""), read_learned("", "")};
        try {
          const std::vector<Rows> found = connection.ask(look, deadline);
          take_learned(found[0], lock);
          take_learned(found[1], directory);
        } catch (const DatabaseError& failure) {
          if (!failure.is(kNoTable) && !failure.is(kNoPrivilege)) throw;
        }
      },
      false);
}

// Reads, calls `how` and writes, in one transaction. Makes the table if it is missing and that is
// permitted. Returns what `how` does. Throws DatabaseError: nothing was written.
bool learn_run(Client& client, const std::string& key, LearnFn how, const RunSample& sample) {
  bool suspicious = false;
  client.talk([&](Connection& connection, std::int64_t deadline) {
    try {
      suspicious = learn_once(connection, key, how, sample, deadline);
    } catch (const DatabaseError& failure) {
      if (!failure.is(kNoTable)) throw;
      create_schema(connection, true, deadline);
      suspicious = learn_once(connection, key, how, sample, deadline);
    }
  });
  return suspicious;
}

void forget_learned(Connection& connection, const std::string& key, std::int64_t deadline) {
  const Statement learned = {"DELETE FROM atmost.runs WHERE name = $1", {key}};
  try {
    connection.ask(std::span(&learned, 1), deadline);
  } catch (const DatabaseError& failure) {
    // The tables are an older version's, or it has not been let into the new one.
    if (!failure.is(kNoTable) && !failure.is(kNoPrivilege)) throw;
  }
}

}  // namespace

Result<Edited> PostgresSession::edit(std::uint32_t lock, const Edit& edit) {
  const std::string& key = keys_[lock];
  Edited done;
  if (edit.what == Edit::What::learn) {
    try {
      done.suspicious = learn_run(*client_, key, edit.how, edit.sample);
      return done;
    } catch (const DatabaseError& failure) {
      return client_->error_of(failure);
    }
  }
  Status edited;
  if (edit.what == Edit::What::recall) {
    edited = recall_runs(*client_, key, *edit.lock, *edit.directory);
    done.kept = StatsKept::kept;
  } else {
    rule::State none;
    done.count = rule::edit(none, edit);  // without tables
    edited = client_->run(
        [&](Connection& connection, std::int64_t deadline) {
          try {
            done.count = edit_row(connection, key, edit, client_->settings.clock, deadline);
            if (edit.what == Edit::What::forget) forget_learned(connection, key, deadline);
          } catch (const DatabaseError&) {
            connection.abandon(deadline);
            throw;
          }
        },
        is_drain(edit));
  }
  return edited.ok() ? Result<Edited>(done) : edited.error();
}

}  // namespace atmost::postgres
