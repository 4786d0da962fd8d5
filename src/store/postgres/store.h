// Locks in a PostgreSQL database (docs/fleet-postgres.md). schema.cc has the tables.
#ifndef ATMOST_STORE_POSTGRES_STORE_H
#define ATMOST_STORE_POSTGRES_STORE_H

#include <memory>
#include <string>
#include <string_view>

#include "client.h"
#include "core/store.h"

namespace atmost::postgres {

// Not thread-safe. All its queries use one connection, which belongs to its session while there is
// one.
class PostgresStore final : public Store {
 public:
  PostgresStore(Address address, Settings settings);
  PostgresStore(const PostgresStore&) = delete;
  PostgresStore& operator=(const PostgresStore&) = delete;

  Result<Owned<Session>> open_for(const Request& request, OpenTo how) override;
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override;
  Result<std::size_t> list(std::string_view after, std::span<Text<255>> to) override;

  // The unused client, or a new one; to be given back.
  std::unique_ptr<Client> take_client();
  void give_client(std::unique_ptr<Client> client) { idle_ = std::move(client); }

 private:
  const Address address_;
  const Settings settings_;
  std::unique_ptr<Client> idle_;
};

// Borrows the client of a store for one query.
class ClientUse {
 public:
  explicit ClientUse(PostgresStore& store) : store_(store), client_(store.take_client()) {}
  ClientUse(const ClientUse&) = delete;
  ClientUse& operator=(const ClientUse&) = delete;
  ~ClientUse() { store_.give_client(std::move(client_)); }
  Client* operator->() const { return client_.get(); }

 private:
  PostgresStore& store_;
  std::unique_ptr<Client> client_;
};

// The store that the URL names. Asks nothing of the network yet. Errors (usage) do not repeat the
// URL.
Result<Store*> open_store(std::string_view url);

// As StoreService defines it (core/limiter.h).
Status end_lease(std::string_view url, std::string_view name);
Status end_lease(Client& client, std::string_view name);
Result<Code> diagnose(std::string_view url, int fd, bool json);
Result<Code> diagnose(Client& client, int fd, bool json);

// The schema, as `atmost schema postgres` prints it.
std::string schema_script();

}  // namespace atmost::postgres

#endif
