// Ending the lease of a process that was killed: whatever its rows hold is free at once.
#include <algorithm>
#include <set>

#include "asking.h"

namespace atmost::postgres {
namespace {

bool is_owner(std::string_view name) {
  return name.size() == 32 && name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Of the locks in which it has a row, by whatever table.
std::set<std::string> locks_of(Link& link, const std::string& owner, std::int64_t deadline) {
  const Statement statements[] = {
      {"SELECT lock FROM atmost.holder WHERE owner = $1 UNION SELECT lock FROM atmost.waiter WHERE "
       "owner = "
       "$1 UNION SELECT lock FROM atmost.takeover WHERE owner = $1",
       {owner},
       "SELECT",
       1}};
  const std::vector<Rows> answers = link.ask(statements, deadline);
  std::set<std::string> keys;
  for (int row = 0; row < answers[0].count(); ++row) keys.insert(answers[0].text(row, 0));
  return keys;
}

}  // namespace

Text<80> PostgresStore::own_lease() const {
  const bool holds =
      std::any_of(holds_.begin(), holds_.end(), [](const auto& hold) { return hold != nullptr; });
  const bool wrote = holds || queued_ || doubtful_ || !begun_.empty();
  return wrote ? Text<80>(party_->owner) : Text<80>();
}

// Its transactions have the rows of their locks: one that was under way when it was killed is over
// before ours begins.
Status PostgresStore::end_lease(std::string_view name) {
  if (!is_owner(name))
    return atmost::error_of(Code::usage, 0, "not the name of a lease in PostgreSQL");
  const std::string owner(name);
  try {
    talk(
        [&](Link& link, std::int64_t deadline) {
          if (link.server().schema.empty()) return;
          const std::set<std::string> keys = locks_of(link, owner, deadline);
          std::vector<Statement> statements = {begin()};
          for (const std::string& key : keys) statements.push_back(take_row(key));
          for (const char* table : {"holder", "waiter", "takeover"}) {
            statements.push_back({std::string("DELETE FROM atmost.") + table + " WHERE owner = $1",
                                  {owner},
                                  "DELETE",
                                  0});
          }
          for (const std::string& key : keys) statements.push_back(wake_first(key));
          statements.push_back(commit());
          link.ask(statements, deadline);
        },
        false);
  } catch (const Trouble& trouble) {
    return error_of(trouble);
  }
  return {};
}

}  // namespace atmost::postgres
