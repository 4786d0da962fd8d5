// atmost doctor postgres://…: tests the store, and shows its condition.
#include <algorithm>

#include "connection.h"
#include "diagnosis/findings.h"
#include "os/clock.h"
#include "other_hosts.h"
#include "schema.h"
#include "statements.h"
#include "store.h"

namespace atmost::postgres {
namespace {

using diagnosis::Findings;
using diagnosis::Level;
using diagnosis::millis;

// A host's clock affects only ages in lists and --now; the server's clock decides leases and
// intervals.
constexpr std::int64_t kOffsetUs = 1'000'000;
constexpr std::int64_t kFewLeft = 3;  // connections
constexpr Duration kNewsTime = Duration::seconds(1);

void look_at_server(Connection& connection, std::int64_t deadline, Findings& findings) {
  const int version = connection.server().version;
  const Statement statements[] = {
      {"SELECT current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on', "
       "current_setting('synchronous_standby_names') <> '', (SELECT count(*) FROM "
       "pg_stat_replication), inet_server_addr() IS NULL, current_user",
       {},
       5}};
  const std::vector<Rows> answers = connection.ask(statements, deadline);
  const Rows& row = answers[0];
  row.expect(1);
  findings.about("server");
  findings.say(Level::good, "PostgreSQL " + std::to_string(version / 10000) + "." +
                                std::to_string(version % 10000) + ", which takes writes; user " +
                                row.text(0, 4));
  findings.about("durability");
  if (!row.boolean(0, 0)) {
    findings.say(Level::doubtful,
                 "fsync or full_page_writes is off: a crash of the server's machine may forget who "
                 "holds a lock");
  }
  findings.about("standbys");
  if (row.integer(0, 2) > 0 && !row.boolean(0, 1)) {
    findings.say(Level::doubtful,
                 "its standbys are fed asynchronously: a failover may forget the last rows, and "
                 "nobody is admitted after it until the longest lease is over (set "
                 "synchronous_standby_names to lose nothing)");
  }
  findings.about("tls");
  if (!connection.server().encrypted && !row.boolean(0, 3)) {
    findings.say(Level::doubtful,
                 "without TLS: anyone on the network between can take and free every lock "
                 "(?sslmode=verify-full in the URL, or $PGSSLMODE)");
  }
}

void look_at_proxy(const Connection& connection, Findings& findings) {
  findings.about("proxy");
  if (connection.server().behind_proxy) {
    findings.say(
        Level::doubtful,
        "a proxy stands in between; it leaves sessions alone now, and has to (pool_mode=session)");
  } else {
    findings.say(Level::good, "no pooling proxy in between");
  }
}

void look_at_rights(Connection& connection, std::int64_t deadline, Findings& findings) {
  findings.about("rights");
  std::vector<std::string> lacking;
  for (const char* table : {"lock", "era", "holder", "waiter", "takeover"}) {
    const Statement statements[] = {
        {"SELECT right_, has_table_privilege('atmost.' || $1, right_) FROM unnest(ARRAY['SELECT', "
         "'INSERT', 'UPDATE', 'DELETE']) right_",
         {table},
         2}};
    const std::vector<Rows> answers = connection.ask(statements, deadline);
    answers[0].expect(4);
    for (int row = 0; row < 4; ++row) {
      if (!answers[0].boolean(row, 1))
        lacking.push_back(answers[0].text(row, 0) + " on atmost." + table);
    }
  }
  if (lacking.empty()) {
    findings.say(Level::good, "may read and write the tables of schema atmost");
    return;
  }
  std::string words = "this user lacks";
  for (const std::string& one : lacking) words += (&one == lacking.data() ? " " : ", ") + one;
  findings.say(Level::bad, words + " (atmost schema postgres shows the grants)",
               Code::not_permitted);
}

// All hosts of the URL, whichever is used: two that take writes keep two sets of locks.
void look_at_hosts(const Client& client, std::int64_t deadline, Findings& findings) {
  findings.about("hosts");
  const std::size_t count = client.address.servers.size();
  if (count < 2) return;
  struct Host {
    std::string name;
    HostState state;
  };
  std::vector<Host> hosts;
  for (std::size_t i = 0; i < count; ++i) {
    const Address address = only_host(client.address, i);
    Connection connection(address, client.id);
    const std::int64_t now = os::boot_ns();
    try {
      const std::int64_t share = (deadline - now) / static_cast<std::int64_t>(count - i);
      const HostState state = ask_host(connection, now + share);
      const auto again = [&](const Host& each) { return same_server(each.state, state); };
      if (std::none_of(hosts.begin(), hosts.end(), again)) hosts.push_back({address.shown, state});
      findings.say(Level::good, address.shown +
                                    (state.takes_writes ? " takes writes" : " is a standby") +
                                    ", on timeline " + std::to_string(state.timeline));
    } catch (const DatabaseError& failure) {
      findings.say(Level::doubtful, address.shown + " does not answer: " + failure.words);
    }
  }
  for (const Host& one : hosts) {
    for (const Host& other : hosts) {
      if (!one.state.takes_writes || &one == &other || !overtakes(other.state, one.state)) continue;
      findings.say(
          Level::bad,
          other.name +
              (other.state.takes_writes
                   ? " takes writes, too: each of the two would keep locks of its own (fence or "
                     "stop "
                   : " follows a later primary: locks are kept there, too (fence or stop ") +
              one.name + ")");
    }
  }
}

void look_at_connections(Connection& connection, std::int64_t deadline, Findings& findings) {
  findings.about("connections");
  const Statement statements[] = {ask_limit()};
  const ConnectionLimit limit = read_limit(connection.ask(statements, deadline)[0]);
  std::string words = std::to_string(limit.used) + " of " + std::to_string(limit.most) +
                      " connections of " + limit.of +
                      " are in use; every holder and every waiter needs one";
  const bool few = limit.left() < kFewLeft || limit.left() * 10 < limit.most;
  if (few) {
    words +=
        ", and newcomers leave these few to jobs whose session ended, and exit with 69 (raise the "
        "limit, or give the locks a role of their own)";
  }
  if (limit.away > 0) words += "; " + std::to_string(limit.away) + " jobs are without a session";
  findings.say(few ? Level::doubtful : Level::good, words);
}

std::int64_t round_trip(Connection& connection, std::int64_t deadline) {
  std::int64_t best = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const Statement statements[] = {{"SELECT 1", {}, 1}};
    const std::int64_t start = os::boot_ns();
    connection.ask(statements, deadline);
    best = std::min(best, os::boot_ns() - start);
  }
  return best;
}

void look_at_clock(Connection& connection, std::int64_t trip, std::int64_t deadline,
                   Findings& findings) {
  findings.about("clock");
  const Statement statements[] = {{"SELECT " + micros("clock_timestamp()"), {}, 1}};
  const std::vector<Rows> answers = connection.ask(statements, deadline);
  answers[0].expect(1);
  const std::int64_t ours = (os::now().real_ns - trip / 2) / 1000;
  const std::int64_t offset = answers[0].integer(0, 0) - ours;
  const std::string words = "the server's clock is " + millis(std::abs(offset) * 1000) +
                            (offset < 0 ? " behind" : " ahead of") + " ours";
  if (std::abs(offset) < kOffsetUs) {
    findings.say(Level::good, words + " (only the server's counts)");
  } else {
    findings.say(Level::doubtful,
                 words +
                     "; harmless, as only the server's counts, but one of them is wrong: a "
                     "server's clock that is stepped forward ends leases early");
  }
}

// Writes a row as an admission does, and waits for its notification on the other connection.
void try_out(Connection& connection, const ClientId& client, std::int64_t deadline,
             Findings& findings) {
  findings.about("write");
  connection.forget_news();
  const Statement writing[] = {
      begin(),
      {"INSERT INTO atmost.takeover (lock, slot, owner, expires) VALUES ('(doctor)', 1, $1, "
       "clock_timestamp()) ON CONFLICT (lock, slot) DO UPDATE SET owner = excluded.owner",
       {client.owner}},
      {"SELECT pg_notify('atmost_' || $1, '')", {client.owner}, 1},
      commit()};
  const std::int64_t start = os::boot_ns();
  connection.ask(writing, deadline);
  const std::int64_t wrote = os::boot_ns();
  const bool heard = connection.await_news(std::min(plus(wrote, kNewsTime), deadline));
  const Statement sweeping[] = {{"DELETE FROM atmost.takeover WHERE lock = '(doctor)'", {}}};
  connection.ask(sweeping, deadline);
  findings.say(Level::good, "a row is written in " + millis(wrote - start));
  findings.about("notifications");
  if (!heard)
    findings.say(Level::bad, "notifications do not arrive: waiters would sleep beside a free slot");
}

// The tables may differ from the program's, even if the schema's comment has its version.
bool rehearse(Connection& connection, const std::vector<Statement>& all, std::int64_t deadline,
              Findings& findings) {
  findings.about("tables");
  try {
    connection.ask(all, deadline);
    findings.say(
        Level::good,
        "the tables are as a caller needs them (its statements were tried and taken back)");
    return true;
  } catch (const DatabaseError& failure) {
    if (failure.kind != DatabaseError::Kind::refused) throw;
    const bool denied = failure.is(kNoPrivilege);
    findings.say(
        Level::bad,
        "what a caller asks fails: " + failure.words +
            (denied ? "" : " (atmost schema postgres shows the tables as they have to be)"),
        denied ? Code::not_permitted : Code::unavailable);
    return false;
  }
}

void look_at_pause(Connection& connection, std::int64_t deadline, Findings& findings) {
  findings.about("pause");
  const Duration left = pause_now(connection, deadline);
  if (!left.is_zero()) findings.say(Level::bad, why_paused(left));
}

}  // namespace

Result<Code> diagnose(Client& client, int fd, bool json) {
  Findings findings(fd, json, client.address.shown);
  client.connection->go_first(true);
  try {
    const std::int64_t start = os::boot_ns();
    client.talk([&](Connection&, std::int64_t) {});
    findings.say(Level::good,
                 client.address.shown + " answers; connected in " + millis(os::boot_ns() - start));
    look_at_hosts(client, plus(os::boot_ns(), client.settings.timeout), findings);
    client.talk([&](Connection& connection, std::int64_t deadline) {
      look_at_server(connection, deadline, findings);
      look_at_proxy(connection, findings);
      look_at_rights(connection, deadline, findings);
      const bool may =
          findings.trusted() && rehearse(connection, rehearsal(client), deadline, findings);
      if (may) look_at_connections(connection, deadline, findings);
      const std::int64_t trip = round_trip(connection, deadline);
      findings.about("latency");
      findings.say(Level::good, "an answer takes " + millis(trip));
      look_at_clock(connection, trip, deadline, findings);
      if (may) try_out(connection, client.id, deadline, findings);
      if (may) look_at_pause(connection, deadline, findings);
    });
  } catch (const DatabaseError& failure) {
    const Error error = client.error_of(failure);
    findings.say(Level::bad, std::string(error.message.view()), error.code);
  }
  return findings.verdict();
}

Result<Code> diagnose(std::string_view url, int fd, bool json) {
  Result<Address> address = parse_address(url);
  if (!address.ok()) return address.error();
  Settings settings;
  settings.timeout = address.value().timeout;
  Client client(address.value(), settings);
  return diagnose(client, fd, json);
}

}  // namespace atmost::postgres
