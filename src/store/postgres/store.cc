#include "store.h"

#include "core/schemes.h"
#include "session.h"

namespace atmost::postgres {

Result<Store*> open_store(std::string_view url) {
  Result<Address> address = parse_address(url);
  if (!address.ok()) return address.error();
  Settings settings;
  settings.alone = true;
  settings.timeout = address.value().timeout;
  static std::unique_ptr<PostgresStore> store;
  store = std::make_unique<PostgresStore>(std::move(address.value()), std::move(settings));
  return store.get();
}

PostgresStore::PostgresStore(Address address, Settings settings)
    : Store(traits_of("postgres")), address_(std::move(address)), settings_(std::move(settings)) {}

std::unique_ptr<Client> PostgresStore::take_client() {
  if (idle_ != nullptr) return std::move(idle_);
  return std::make_unique<Client>(address_, settings_);
}

Result<Owned<Session>> PostgresStore::open_for(const Request& request, OpenTo) {
  Owned<PostgresSession> session(new PostgresSession(*this, request, take_client()));
  if (const Status prepared = session->prepare(); !prepared.ok()) return prepared.error();
  return Owned<Session>(std::move(session));
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
