#include "learned_runs.h"

#include "schema.h"
#include "store/fleet/stats_bytes.h"

namespace atmost::postgres {
namespace {

Statement read_row(const std::string& key, const char* how) {
  return {std::string("SELECT runs FROM atmost.runs WHERE name = $1") + how, {key}, 1};
}

Statement write_row(const std::string& key, const std::string& bytes) {
  return {
      "INSERT INTO atmost.runs (name, runs) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET runs "
      "= $2",
      {key, hex_of(bytes)}};
}

template <class T>
void take_row(const Rows& rows, T& stats) {
  fleet::read_bytes(rows.count() > 0 ? rows.bytes(0, 0) : std::string(), stats);
}

bool learn_once(Connection& connection, const std::string& key, LearnFn how,
                const RunSample& sample, std::int64_t deadline) {
  // In this order everywhere, so that no two transactions wait for each other.
  const Statement look[] = {begin(), read_row(key, " FOR UPDATE"), read_row("", " FOR UPDATE")};
  const std::vector<Rows> found = connection.ask(look, deadline);
  LockStats lock;
  DirectoryStats directory;
  take_row(found[1], lock);
  take_row(found[2], directory);
  const bool suspicious = how(lock, directory, sample);
  const Statement write[] = {write_row(key, fleet::bytes_of(lock)),
                             write_row("", fleet::bytes_of(directory)), commit()};
  connection.ask(write, deadline);
  return suspicious;
}

}  // namespace

Status recall_runs(Client& client, const std::string& key, LockStats& lock,
                   DirectoryStats& directory) {
  lock = {};
  directory = {};
  return client.run(
      [&](Connection& connection, std::int64_t deadline) {
        const Statement look[] = {read_row(key, ""), read_row("", "")};
        try {
          const std::vector<Rows> found = connection.ask(look, deadline);
          take_row(found[0], lock);
          take_row(found[1], directory);
        } catch (const DatabaseError& failure) {
          if (!failure.is(kNoTable) && !failure.is(kNoPrivilege)) throw;
        }
      },
      false);
}

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

Statement forget_runs(const std::string& key) {
  return {"DELETE FROM atmost.runs WHERE name = $1", {key}};
}

}  // namespace atmost::postgres
