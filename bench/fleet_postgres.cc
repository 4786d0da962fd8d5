// Locks in PostgreSQL beside psql's advisory locks, on one server on this machine with its
// defaults.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fleet_kit.h"
#include "postgres/kit/cluster.h"

namespace {

using fleet_bench::Arena;
using fleet_bench::Contender;
using fleet_bench::Line;

// The way that people write it: a session that has the lock runs the command. The command's words
// may contain no single quote.
Contender psql(const std::string& url) {
  return {"psql, advisory lock", [url](const std::string& lock, const Line&, const Line& command) {
            std::string words = "\\!";
            for (const std::string& word : command) words += " '" + word + "'";
            return Line{"psql",
                        "-X",
                        "-q",
                        "-d",
                        url,
                        "-c",
                        "SELECT pg_advisory_lock(hashtext('" + lock + "'))",
                        "-c",
                        words};
          }};
}

Contender bare(const Arena& arena, const std::string& socket) {
  return {"floor: session, advisory lock",
          [program = arena.beside("bench_floor_postgres"), socket](
              const std::string& lock, const Line&, const Line& command) {
            Line line = {program, socket, lock};
            line.insert(line.end(), command.begin(), command.end());
            return line;
          }};
}

constexpr const char* kWaiting = "SELECT count(*) FROM atmost.waiter WHERE lock = 'hands.lock'";
constexpr const char* kAsked =
    "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query IN ('COMMIT', 'ROLLBACK')";
// Each notification is looked at by every session that listens, in a transaction of its own.
constexpr const char* kAll =
    "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()";

void measure(const Arena& arena) {
  // A server in use is set so: commits are on the disk before they are confirmed.
  postgres_kit::Cluster cluster(
      "fsync = on\nmax_connections = 500\nshared_preload_libraries = 'pg_stat_statements'");
  postgres_kit::Session session(cluster.url());
  session.ask("CREATE EXTENSION pg_stat_statements");
  const auto number = [&](const char* sql) { return std::atof(session.one(sql).c_str()); };
  const Contender ours = fleet_bench::atmost_at(arena, cluster.url());
  const Contender theirs = psql(cluster.url());
  std::printf("PostgreSQL %s\n", session.one("SHOW server_version").c_str());
  const Contender floor = bare(arena, cluster.socket());
  fleet_bench::one_caller(arena, ours, theirs, {floor});
  fleet_bench::fifty_at_once(arena, ours, theirs, {floor});
  const double before = number(kAll);
  const double each = fleet_bench::two_hundred_waiters(
      arena, ours,
      {[&](const std::string&) { return static_cast<std::size_t>(number(kWaiting)); },
       [&] { return number(kAsked); }});
  std::printf(
      "  transactions for each release: %.2f; of all sessions from first to last, those woken too: "
      "%.0f\n",
      each, number(kAll) - before);
}

}  // namespace

int main(int argc, char** argv) { return fleet_bench::run(argc, argv, measure); }
