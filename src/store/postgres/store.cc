#include "store.h"

#include "core/schemes.h"
#include "learned_runs.h"
#include "session.h"
#include "statements.h"

namespace atmost::postgres {

Result<Owned<Store>> open_store(std::string_view url) {
  Result<Address> address = parse_address(url);
  if (!address.ok()) return address.error();
  Settings settings;
  settings.alone = true;
  settings.timeout = address.value().timeout;
  return Owned<Store>(new PostgresStore(std::move(address.value()), std::move(settings)));
}

PostgresStore::PostgresStore(Address address, Settings settings)
    : address_(std::move(address)), settings_(std::move(settings)) {}

const StoreTraits& PostgresStore::traits() const { return traits_of("postgres"); }

std::unique_ptr<Client> PostgresStore::take_client() {
  if (idle_ != nullptr) return std::move(idle_);
  return std::make_unique<Client>(address_, settings_);
}

Result<Owned<Session>> PostgresStore::open(const Request& request) {
  Owned<PostgresSession> session(new PostgresSession(*this, request, take_client()));
  if (const Status prepared = session->prepare(); !prepared.ok()) return prepared.error();
  return Owned<Session>(std::move(session));
}

Status PostgresStore::set_drained(const Request& request, std::uint32_t slot, bool drained) {
  const ClientUse client(*this);
  if (slot > kMaxSlots) return atmost::error_of(Code::usage, 0, "no such slot");
  const Result<std::string> key = key_of(request.locks[0]);
  if (!key.ok()) return key.error();
  std::vector<Statement> statements = {
      begin(),
      {"INSERT INTO atmost.lock (name) VALUES ($1) ON CONFLICT DO NOTHING",
       {key.value()},
       "INSERT",
       0}};
  if (slot == 0) {
    statements.push_back(
        {"UPDATE atmost.lock SET drained = $2, drained_slots = CASE WHEN $2 THEN drained_slots "
         "ELSE "
         "'{}' END WHERE name = $1",
         {key.value(), truth(drained)},
         "UPDATE 1",
         0});
  } else {
    statements.push_back(
        {"UPDATE atmost.lock SET drained_slots = CASE WHEN $3 THEN array_append(array_remove("
         "drained_slots, $2::integer), $2) ELSE array_remove(drained_slots, $2) END WHERE name = "
         "$1",
         {key.value(), number(slot), truth(drained)},
         "UPDATE 1",
         0});
  }
  statements.push_back(wake_first(key.value()));
  statements.push_back(commit());
  try {
    client->talk([&](Connection& connection, std::int64_t deadline) {
      connection.ask(statements, deadline);
    });
  } catch (const DatabaseError& failure) {
    return client->error_of(failure);
  }
  return {};
}

Result<StatsKept> PostgresStore::recall(const Request& request, LockStats& lock,
                                        DirectoryStats& directory) {
  const ClientUse client(*this);
  const Result<std::string> key = key_of(request.locks[0]);
  if (!key.ok()) return key.error();
  try {
    recall_runs(*client.operator->(), key.value(), lock, directory);
  } catch (const DatabaseError& failure) {
    return client->error_of(failure);
  }
  return StatsKept::kept;
}

Status PostgresStore::forget(const Request& request) {
  const ClientUse client(*this);
  const Result<std::string> key = key_of(request.locks[0]);
  if (!key.ok()) return key.error();
  const Statement statements[] = {
      {"UPDATE atmost.lock SET last_start = NULL, last_finish = NULL, last_success = NULL, "
       "admissions = NULL WHERE "
       "name = $1",
       {key.value()},
       "UPDATE",
       0}};
  const Statement learned = forget_runs(key.value());
  try {
    client->talk(
        [&](Connection& connection, std::int64_t deadline) {
          if (connection.server().schema.empty()) return;
          connection.ask(statements, deadline);
          try {
            connection.ask(std::span(&learned, 1), deadline);
          } catch (const DatabaseError& failure) {
            // The tables are an older version's, or it has not been let into the new one.
            if (!failure.is(kNoTable) && !failure.is(kNoPrivilege)) throw;
          }
        },
        false);
  } catch (const DatabaseError& failure) {
    return client->error_of(failure);
  }
  return {};
}

Result<std::size_t> PostgresStore::list(std::string_view after, std::span<Text<255>> to) {
  const ClientUse client(*this);
  const Statement statements[] = {
      {"SELECT name FROM atmost.lock WHERE name COLLATE \"C\" > $1 COLLATE \"C\" ORDER BY name "
       "COLLATE \"C\" "
       "LIMIT $2",
       {std::string(after), std::to_string(to.size())},
       "SELECT",
       1}};
  std::size_t count = 0;
  try {
    client->talk(
        [&](Connection& connection, std::int64_t deadline) {
          if (connection.server().schema.empty()) return;
          const std::vector<Rows> answers = connection.ask(statements, deadline);
          for (int row = 0; row < answers[0].count() && count < to.size(); ++row) {
            to[count++].assign(answers[0].text(row, 0));
          }
        },
        false);
  } catch (const DatabaseError& failure) {
    return client->error_of(failure);
  }
  return count;
}

}  // namespace atmost::postgres
