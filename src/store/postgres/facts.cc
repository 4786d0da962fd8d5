#include "facts.h"

#include <algorithm>

#include "statements.h"
#include "store/fleet/locks.h"

namespace atmost::postgres {
namespace {

constexpr std::int64_t kMost = INT64_MAX;
// Waiters that are read at once; the rule seldom needs a second page.
constexpr std::uint32_t kPage = 64;

[[noreturn]] void malformed(const char* what) { throw malformed_error(what); }

}  // namespace

void LockFacts::add_look(std::vector<Statement>& to, const Request& request, std::uint64_t ticket,
                         const ClientId& client, const std::string& clock,
                         const std::vector<Statement>& clearance) {
  to.push_back({"INSERT INTO atmost.lock (name) VALUES ($1) ON CONFLICT DO NOTHING", {key}});
  to.push_back(read_row(key, request.rate.count, clock));
  to.insert(to.end(), clearance.begin(), clearance.end());
  const std::string own = " FROM atmost.waiter WHERE lock = $1 AND ticket = $3 AND owner = $2)";
  to.push_back(
      {"SELECT clock, pg_backend_pid(), all_holders, taken_over, waiters, ahead, place, turn, "
       "pause, none, longest, " +
           holder_columns() + " FROM (SELECT " + micros(clock) +
           " AS clock, (SELECT count(*) FROM atmost.holder WHERE lock = $1) AS all_holders, "
           "ARRAY(SELECT slot FROM atmost.takeover WHERE lock = $1 AND owner <> $2 AND expires > "
           "clock_timestamp()) AS taken_over, (SELECT count(*) FROM atmost.waiter WHERE lock = $1) "
           "AS waiters, (SELECT count(*) FROM atmost.waiter WHERE lock = $1 AND ticket < $3 AND " +
           waiter_claims() + ") AS ahead, EXISTS(SELECT" + own + " AS place, " +
           or_none("(SELECT " + micros("turn") + own) + " AS turn, " + or_none("pause") +
           " AS pause, none, longest FROM " + era_sums() +
           " eras) sums LEFT JOIN atmost.holder ON lock = $1 ORDER BY slot",
       {key, client.owner, number(ticket)},
       11 + kHolderColumns});
}

void LockFacts::read(std::span<const Rows> answers, const Connection& connection,
                     const Clocks& clocks) {
  const Rows& row = answers[1];
  const Rows& sums = answers.back();
  row.expect(1);
  if (sums.count() == 0) malformed("a row is missing");
  clocks_ = clocks;
  clocks_.server = sums.integer(0, 0, 1, kLastMicros);
  if (sums.integer(0, 1) != connection.server().backend) {
    throw setup_error(
        "a proxy gave this session another server process: it pools transactions (pgbouncer with "
        "pool_mode=transaction?); connect to the server itself, or through pool_mode=session");
  }
  state_ = state_of(row, clocks_);
  drained_ = drained_of(row);
  first_in_rate_ = clocks_.stamp(row.maybe_integer(0, 11));
  const std::int64_t count = sums.integer(0, 2, 0, kMaxSlots);
  if (count > 0) sums.expect(static_cast<int>(count));
  holders_found.clear();
  for (int i = 0; i < count; ++i) {
    holders_found.push_back(read_holder(sums, i, 11, clocks_));
    const HolderView& here = holders_found.back().view;
    if (i > 0 && holders_found[static_cast<std::size_t>(i) - 1].view.slot >= here.slot)
      malformed("one slot twice");
    if (here.token > state_.token) malformed("a token from the future");
  }
  taken_over_ = sums.slots(0, 3);
  places = static_cast<std::uint32_t>(sums.integer(0, 4, 0, INT32_MAX));
  ahead = static_cast<std::uint32_t>(sums.integer(0, 5, 0, places));
  place_is_there = sums.boolean(0, 6);
  own_turn_ns_ = clocks_.boot_ns(sums.maybe_integer(0, 7));
  era = {sums.maybe_integer(0, 8), sums.boolean(0, 9), sums.integer(0, 10, 0)};
}

void LockFacts::begin(const rule::Asker& asker, Connection& connection, const ClientId& client,
                      bool paused, std::int64_t deadline) {
  asker_ = asker;
  connection_ = &connection;
  client_ = &client;
  paused_ = paused;
  deadline_ns_ = deadline;
  views_.clear();
  waiters_.clear();
  notes.clear();
  broken.reset();
  rule::Table table;
  for (const Holder& one : holders_found) {
    if (one.expired) continue;
    table.writer = table.writer || one.exclusive;
    views_.push_back(one.view);
  }
  table.state = state_;
  table.holders = views_;
  table.drained = drained_;
  table.taken_over = taken_over_;
  set(asker, table);
  all_waiters_ = places <= (place_is_there ? 1u : 0u);
}

Statement LockFacts::ask_page(const ClientId& client) const {
  return {"SELECT ticket, max, take, mode = 2, joins, parked, " + or_none(micros("turn")) + ", " +
              or_none(micros("due")) +
              ", mode = 0 FROM atmost.waiter WHERE lock = $1 AND ticket > $3 AND (owner = $2 OR " +
              waiter_lives() + ") ORDER BY ticket LIMIT " + std::to_string(kPage),
          {key, client.owner, number(waiters_.empty() ? 0 : waiters_.back().waiter.ticket)},
          9};
}

// False if there are no more, or the query failed (`broken`).
bool LockFacts::read_more() {
  if (all_waiters_ || broken) return false;
  const Statement question[] = {ask_page(*client_)};
  try {
    const Rows rows = std::move(connection_->ask(question, deadline_ns_)[0]);
    for (int row = 0; row < rows.count(); ++row) {
      rule::Table::Queued one;
      one.waiter.ticket = static_cast<std::uint64_t>(rows.integer(row, 0, 1, kMost));
      one.waiter.max = static_cast<std::uint32_t>(rows.integer(row, 1, 0, kMaxSlots));
      one.waiter.take = static_cast<std::uint32_t>(rows.integer(row, 2, 0, kMaxTake));
      one.waiter.writer = rows.boolean(row, 3);
      one.joins = rows.boolean(row, 4);
      one.waiter.parked = rows.boolean(row, 5);
      one.waiter.turn_boot_ns = clocks_.boot_ns(rows.maybe_integer(row, 6));
      one.waiter.due_boot_ns = clocks_.boot_ns(rows.maybe_integer(row, 7));
      one.queue = rows.boolean(row, 8) ? one.waiter.max : rule::kModeQueue;
      waiters_.push_back(one);
    }
    all_waiters_ = rows.count() < static_cast<int>(kPage);
    show(waiters_);
    return rows.count() > 0;
  } catch (const DatabaseError& failure) {
    broken = failure;
    fail(atmost::error_of(Code::unavailable, 0, failure.words));
    return false;
  }
}

// While the era is not safe yet, rows of holders may be missing: no slot is known to be free.
std::uint32_t LockFacts::reserve(std::uint32_t count) {
  return paused_ ? 0 : TableFacts::reserve(count);
}

void LockFacts::note_turn(rule::Queue, std::uint64_t ticket, std::int64_t began_boot_ns) {
  notes.push_back({ticket, began_boot_ns});
}

bool LockFacts::ancestor() {
  fleet::OwnTree ours;
  for (const Holder& one : holders_found) {
    if (!one.expired)
      ours.see(one.view.host, static_cast<std::uint64_t>(one.boot), one.view.pid, one.exclusive);
  }
  return ours.blocks(*asker_.lock);
}

Result<std::string> key_of(const LockSpec& lock) {
  const std::string_view key = fleet::key_of(lock);
  const bool printable =
      std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  if (key.empty() || !printable) {
    return error_of(Code::usage, 0,
                    "the key of a lock in PostgreSQL is printable ASCII, without blanks");
  }
  return std::string(key);
}

}  // namespace atmost::postgres
