#include "store.h"

#include "core/schemes.h"
#include "learned_runs.h"
#include "session.h"

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

Result<StatsKept> PostgresStore::recall(const Request& request, LockStats& lock,
                                        DirectoryStats& directory) {
  const ClientUse client(*this);
  const Result<std::string> key = key_of(request.locks[0]);
  if (!key.ok()) return key.error();
  const Status done = recall_runs(*client.operator->(), key.value(), lock, directory);
  return done.ok() ? Result<StatsKept>(StatsKept::kept) : done.error();
}

Result<std::size_t> PostgresStore::list(std::string_view after, std::span<Text<255>> to) {
  const ClientUse client(*this);
  const Statement statements[] = {
      {"SELECT name FROM atmost.lock WHERE name COLLATE \"C\" > $1 COLLATE \"C\" ORDER BY name "
       "COLLATE \"C\" LIMIT $2",
       {std::string(after), std::to_string(to.size())},
       1}};
  std::size_t count = 0;
  const Status done = client->run(
      [&](Connection& connection, std::int64_t deadline) {
        const Rows rows = std::move(connection.ask(statements, deadline)[0]);
        for (count = 0; count < static_cast<std::size_t>(rows.count()) && count < to.size();
             ++count)
          to[count].assign(rows.text(static_cast<int>(count), 0));
      },
      false);
  return done.ok() ? Result<std::size_t>(count) : done.error();
}

}  // namespace atmost::postgres
