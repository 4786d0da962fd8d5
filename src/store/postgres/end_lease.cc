// Ending the lease of a process that was killed: the slots of its rows are free at once.
#include <algorithm>
#include <set>

#include "statements.h"
#include "store.h"

namespace atmost::postgres {
namespace {

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

Status end_lease(std::string_view url, std::string_view name) {
  Result<Address> address = parse_address(url);
  if (!address.ok()) return address.error();
  Settings settings;
  settings.timeout = address.value().timeout;
  Client client(address.value(), settings);
  return end_lease(client, name);
}

}  // namespace atmost::postgres
