#include "postgres_store.h"

#include <algorithm>
#include <random>

#include "asking.h"
#include "hold.h"
#include "os/clock.h"
#include "schema.h"

namespace atmost::postgres {
namespace {

constexpr Duration kPause = Duration::millis(50);  // before another try

Party stranger(Duration timeout) {
  std::random_device random;
  Party party;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t part = random();
    for (int shift = 28; shift >= 0; shift -= 4)
      party.owner += "0123456789abcdef"[part >> shift & 15];
  }
  party.timeout = timeout;
  return party;
}

}  // namespace

// Who lost his lease has no finish to tell: others may have run since.
Statement let_go(const HeldRows& one, Ending ending, const Instant& now, const std::string& clock) {
  const std::string gone = "DELETE FROM atmost.holder WHERE lock = $1 AND token = $2";
  std::vector<Value> values = {one.key, number(one.held.token)};
  if (ending == Ending::unknown) return {gone, std::move(values), "DELETE", 0};
  values.push_back(given_moment(now));
  const std::string at = "coalesce(" + moment_of(3) + ", " + clock + ")";
  return {"WITH gone AS (" + gone + " RETURNING slot) UPDATE atmost.lock SET last_finish = " + at +
              (ending == Ending::success ? ", last_success = " + at : "") +
              " WHERE name = $1 AND EXISTS (SELECT FROM gone)",
          std::move(values), "UPDATE", 0};
}

Result<FleetStore*> open_store(std::string_view url) {
  Result<Address> address = parse_address(url);
  if (!address.ok()) return address.error();
  Settings settings;
  settings.alone = true;
  settings.timeout = address.value().timeout;
  return static_cast<FleetStore*>(
      new PostgresStore(std::move(address.value()), std::move(settings)));
}

PostgresStore::PostgresStore(Address address, Settings settings)
    : address_(new Address(std::move(address))),
      settings_(std::move(settings)),
      party_(new Party(stranger(settings_.timeout))),
      link_(new Link(*address_, *party_)) {}

PostgresStore::~PostgresStore() = default;

Capabilities PostgresStore::capabilities() const {
  Capabilities all;
  all.queue = all.weights = all.modes = all.several_locks = all.drain = all.takeover = all.counts =
      true;
  return all;
}

Error PostgresStore::error_of(const Trouble& trouble) const {
  return postgres::error_of(trouble, address_->shown);
}

void PostgresStore::talk(const std::function<void(Link&, std::int64_t)>& work, bool needs_schema,
                         std::int64_t not_after) {
  const std::int64_t deadline = std::min(plus(os::boot_ns(), settings_.timeout), not_after);
  for (;;) {
    const bool known = link_->was_open();
    try {
      link_->open(deadline);
      const std::string& mark = link_->server().schema;
      if (needs_schema && mark.empty()) {
        create_schema(*link_, deadline);
        link_->look_for_schema(deadline);
      }
      if (!mark.empty() && mark != kSchemaMark) {
        throw Trouble{Trouble::Kind::setup,
                      "schema atmost is of another format than this program's (it says: " + mark +
                          "; expected: " + kSchemaMark + ")",
                      {},
                      Code::unavailable};
      }
      return work(*link_, deadline);
    } catch (const Trouble& trouble) {
      const bool reached = known || link_->was_open();
      if (!worth_another_try(trouble) || !reached || plus(os::boot_ns(), kPause) >= deadline) throw;
    }
    os::sleep_until(plus(os::boot_ns(), kPause));
  }
}

Status PostgresStore::set_drained(const Request& request, std::uint32_t slot, bool drained) {
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
    talk([&](Link& link, std::int64_t deadline) { link.ask(statements, deadline); });
  } catch (const Trouble& trouble) {
    return error_of(trouble);
  }
  return {};
}

Status PostgresStore::forget(const Request& request) {
  const Result<std::string> key = key_of(request.locks[0]);
  if (!key.ok()) return key.error();
  const Statement statements[] = {
      {"UPDATE atmost.lock SET last_start = NULL, last_finish = NULL, last_success = NULL WHERE "
       "name = $1",
       {key.value()},
       "UPDATE",
       0}};
  try {
    talk(
        [&](Link& link, std::int64_t deadline) {
          if (!link.server().schema.empty()) link.ask(statements, deadline);
        },
        false);
  } catch (const Trouble& trouble) {
    return error_of(trouble);
  }
  return {};
}

Result<std::uint32_t> PostgresStore::count_refusal(const Request& request, std::uint32_t lock) {
  const Result<std::string> key = key_of(request.locks[lock]);
  if (!key.ok()) return key.error();
  const Statement statements[] = {
      {"UPDATE atmost.lock SET refusals = least(refusals + 1, 4294967295) WHERE name = $1 "
       "RETURNING refusals",
       {key.value()},
       "UPDATE",
       1}};
  std::uint32_t counted = 0;
  try {
    talk([&](Link& link, std::int64_t deadline) {
      const std::vector<Rows> answers = link.ask(statements, deadline);
      // A lock that admits nobody (N = 0) before its first use has no row: this is its first
      // refusal.
      counted = answers[0].count() == 0
                    ? 1
                    : static_cast<std::uint32_t>(answers[0].integer(0, 0, 1, UINT32_MAX));
    });
  } catch (const Trouble& trouble) {
    return error_of(trouble);
  }
  return counted;
}

bool PostgresStore::contested(std::uint32_t handle, std::uint32_t) const {
  return holds_[handle]->upkeep().asked_to_stop;
}

Upkeep PostgresStore::upkeep(std::uint32_t handle) const { return holds_[handle]->upkeep(); }

const HeldLock& PostgresStore::held(std::uint32_t handle, std::uint32_t lock) const {
  return holds_[handle]->locks()[lock].held;
}

void PostgresStore::release(std::uint32_t handle, Ending ending, const Instant& now) {
  const std::unique_ptr<Hold> hold = std::move(holds_[handle]);
  const std::int64_t until = hold->upkeep().until_boot_ns;
  if (std::unique_ptr<Link> link = hold->stop(); link != nullptr && !link_->is_open())
    link_ = std::move(link);
  std::vector<HeldRows> locks = hold->locks();
  std::sort(locks.begin(), locks.end(),
            [](const HeldRows& a, const HeldRows& b) { return a.key < b.key; });
  std::vector<Statement> statements = {begin()};
  for (const HeldRows& one : locks) statements.push_back(take_row(one.key));
  for (const HeldRows& one : locks) {
    statements.push_back(let_go(one, ending, now, settings_.clock));
    statements.push_back(wake_first(one.key));
  }
  statements.push_back(commit());
  try {
    talk(
        [&](Link& link, std::int64_t deadline) {
          try {
            link.ask(statements, deadline);
          } catch (const Trouble& trouble) {
            if (!trouble.is(kLockTimeout)) throw;
            // Somebody sits on the lock's row. Our slots need not wait for him; the waiters will
            // look for themselves.
            std::vector<Statement> bare;
            for (const HeldRows& one : locks) {
              bare.push_back(let_go(one, Ending::unknown, now, settings_.clock));
            }
            link.ask(bare, deadline);
          }
        },
        true, until);
  } catch (const Trouble&) {
    // Nobody renews any more: the slots are free when the lease ends, and later there is nothing to
    // release.
  }
}

Result<std::size_t> PostgresStore::next_keys(std::string_view after, std::span<Text<255>> to) {
  const Statement statements[] = {
      {"SELECT name FROM atmost.lock WHERE name COLLATE \"C\" > $1 COLLATE \"C\" ORDER BY name "
       "COLLATE \"C\" "
       "LIMIT $2",
       {std::string(after), std::to_string(to.size())},
       "SELECT",
       1}};
  std::size_t count = 0;
  try {
    talk(
        [&](Link& link, std::int64_t deadline) {
          if (link.server().schema.empty()) return;
          const std::vector<Rows> answers = link.ask(statements, deadline);
          for (int row = 0; row < answers[0].count() && count < to.size(); ++row) {
            to[count++].assign(answers[0].text(row, 0));
          }
        },
        false);
  } catch (const Trouble& trouble) {
    return error_of(trouble);
  }
  return count;
}

}  // namespace atmost::postgres
