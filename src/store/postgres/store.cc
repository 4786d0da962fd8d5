#include "store.h"

#include <algorithm>
#include <set>

#include "core/schemes.h"
#include "facts.h"
#include "os/clock.h"
#include "session.h"
#include "statements.h"

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

bool is_owner(std::string_view name) {
  return name.size() == 32 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The locks in which it has a row of any table.
std::set<std::string> locks_of(Connection& connection, const std::string& owner,
                               std::int64_t deadline) {
  const Statement statements[] = {
      {"SELECT lock FROM atmost.holder WHERE owner = $1 UNION SELECT lock FROM atmost.waiter WHERE "
       "owner = $1 UNION SELECT lock FROM atmost.takeover WHERE owner = $1",
       {owner},
       1}};
  const std::vector<Rows> answers = connection.ask(statements, deadline);
  std::set<std::string> keys;
  for (int row = 0; row < answers[0].count(); ++row) keys.insert(answers[0].text(row, 0));
  return keys;
}

}  // namespace

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

// A transaction of the killed process that was under way has locked the rows of its locks, so it is
// over before ours begins.
Status end_lease(Client& client, std::string_view name) {
  if (!is_owner(name))
    return atmost::error_of(Code::usage, 0, "not the name of a lease in PostgreSQL");
  const std::string owner(name);
  client.connection->go_first(
      true);  // it frees slots, and its own may be those that are waited for
  return client.run(
      [&](Connection& connection, std::int64_t deadline) {
        const std::set<std::string> keys = locks_of(connection, owner, deadline);
        std::vector<Statement> statements = {begin()};
        for (const std::string& key : keys) statements.push_back(take_row(key));
        for (const char* table : {"holder", "waiter", "takeover"}) {
          statements.push_back(
              {std::string("DELETE FROM atmost.") + table + " WHERE owner = $1", {owner}});
        }
        for (const std::string& key : keys) statements.push_back(wake_first(key));
        statements.push_back(commit());
        connection.ask(statements, deadline);
      },
      false);
}

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

Status end_lease(std::string_view url, std::string_view name) {
  Result<Address> address = parse_address(url);
  if (!address.ok()) return address.error();
  Settings settings;
  settings.timeout = address.value().timeout;
  Client client(address.value(), settings);
  return end_lease(client, name);
}

}  // namespace atmost::postgres
