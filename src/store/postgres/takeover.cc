// Taking a slot over: its holder is asked to stop through its row, and stops itself. If it cannot
// answer, its lease ends.
#include <algorithm>
#include <utility>

#include "asking.h"
#include "os/clock.h"

namespace atmost::postgres {
namespace {

// A taker refreshes its claim whenever it presses; a dead one's claim ends after this.
constexpr Duration kClaimLasts = Duration::seconds(2);
// A taker looks every few milliseconds; the server is asked so often.
constexpr Duration kAskEvery = Duration::millis(50);

std::int64_t asked_level(SignalStep pressure) {
  switch (pressure) {
    case SignalStep::interrupt:
      return 1;
    case SignalStep::terminate:
      return 2;
    case SignalStep::kill:
      return 3;  // no renewal any more: the end of its lease is the end of its hold
    case SignalStep::none:
    case SignalStep::prove:
      break;
  }
  return 0;
}

}  // namespace

Result<bool> PostgresStore::begin_takeover(std::uint32_t lock, std::uint32_t slot) {
  const std::string& key = keys_[lock];
  const Statement statements[] = {
      begin(),
      take_row(key),
      {"INSERT INTO atmost.takeover AS old (lock, slot, owner, expires) VALUES ($1, $2, $3, "
       "clock_timestamp() + " +
           interval_of(4) +
           ") ON CONFLICT (lock, slot) DO UPDATE SET owner = excluded.owner, expires = "
           "excluded.expires "
           "WHERE old.owner = excluded.owner OR old.expires <= clock_timestamp() RETURNING slot",
       {key, number(slot), party_->owner, number(kClaimLasts.ns / 1000)},
       "INSERT",
       1},
      commit()};
  bool begun = false;
  looked_ns_ = 0;
  try {
    talk([&](Link& link, std::int64_t deadline) {
      const Rows claimed = std::move(link.ask(statements, deadline)[2]);
      begun = claimed.count() == 1 && claimed.integer(0, 0) == slot;
    });
  } catch (const Trouble& trouble) {
    return error_of(trouble);
  }
  if (!begun) return false;
  begun_.insert({lock, slot});
  if (settings_.alone) latch_.arm();
  return true;
}

// A taker that is told to end lets go of what it has closed to others.
void PostgresStore::leave_if_told() {
  if (!latch_.is_set()) return;
  for (const auto& [lock, slot] : std::exchange(begun_, {})) unclaim(lock, slot);
  latch_.obey();
}

Result<SignalResult> PostgresStore::press(std::uint32_t lock, std::uint32_t slot,
                                          std::uint64_t hold, SignalStep pressure) {
  leave_if_told();
  const std::int64_t level = asked_level(pressure);
  const bool lately = os::boot_ns() < looked_ns_ + kAskEvery.ns && looked_hold_ == hold;
  if (lately && pressure != SignalStep::prove && level <= looked_level_) {
    found_.signalled = 0;
    return found_;
  }
  const std::string& key = keys_[lock];
  const Statement statements[] = {
      {"UPDATE atmost.takeover SET expires = clock_timestamp() + " + interval_of(4) +
           " WHERE lock = $1 AND slot = $2 AND owner = $3",
       {key, number(slot), party_->owner, number(kClaimLasts.ns / 1000)},
       "UPDATE",
       0},
      {"WITH pressed AS (UPDATE atmost.holder SET asked = $4 WHERE lock = $1 AND slot = $2 AND "
       "token = $3 "
       "AND "
       "asked < $4 AND expires > clock_timestamp() RETURNING owner) SELECT pg_notify('atmost_' || "
       "owner, '') "
       "FROM pressed",
       {key, number(slot), number(hold), number(level)},
       "SELECT",
       1},
      {"SELECT pid, token, " + micros("since") + ", " + micros(settings_.clock) + ", " +
           micros("(expires - clock_timestamp())") +
           ", host, id, command FROM atmost.holder WHERE lock = $1 AND slot = $2 AND token = $3 "
           "AND expires "
           "> "
           "clock_timestamp()",
       {key, number(slot), number(hold)},
       "SELECT",
       8}};
  SignalResult pressed;
  try {
    talk([&](Link& link, std::int64_t deadline) {
      const std::vector<Rows> answers = link.ask(statements, deadline);
      pressed = {};
      pressed.signalled = answers[1].count() > 0 ? 1 : 0;
      const Rows& row = answers[2];
      if (row.count() == 0) return;
      pressed.held = true;
      pressed.pid = row.integer(0, 0, 0);
      pressed.host = Text<63>(row.text(0, 5));
      pressed.id = Text<63>(row.text(0, 6));
      pressed.command = Text<63>(row.text(0, 7));
      pressed.noted = true;
      pressed.token = static_cast<std::uint64_t>(row.integer(0, 1, 1));
      const Instant now = {0, os::boot_ns(), false};
      pressed.start = stamp_of(row.integer(0, 2), row.integer(0, 3), now);
      // That may be a very old row's end: no longer than anybody would wait anyway.
      const std::int64_t left_us = std::min(row.integer(0, 4), Duration::seconds(86400).ns / 1000);
      if (pressure == SignalStep::kill) pressed.until_boot_ns = plus(now.boot_ns, {left_us * 1000});
    });
  } catch (const Trouble& trouble) {
    return error_of(trouble);
  }
  looked_ns_ = os::boot_ns();
  looked_hold_ = hold;
  looked_level_ = level;
  found_ = pressed;
  return pressed;
}

void PostgresStore::end_takeover(std::uint32_t lock, std::uint32_t slot) {
  if (begun_.erase({lock, slot}) == 0) return;
  unclaim(lock, slot);
  if (!begun_.empty() || queued_) return;
  const bool holds =
      std::any_of(holds_.begin(), holds_.end(), [](const auto& hold) { return hold != nullptr; });
  if (!holds) leave_if_told();
  latch_.disarm();
}

void PostgresStore::unclaim(std::uint32_t lock, std::uint32_t slot) {
  if (lock >= keys_.size()) return;
  const std::string& key = keys_[lock];
  const Statement statements[] = {
      begin(),
      take_row(key),
      {"DELETE FROM atmost.takeover WHERE lock = $1 AND slot = $2 AND owner = $3",
       {key, number(slot), party_->owner},
       "DELETE",
       0},
      wake_first(key),
      commit()};
  try {
    talk([&](Link& link, std::int64_t deadline) { link.ask(statements, deadline); });
  } catch (const Trouble&) {
    // The claim ends by itself.
  }
}

}  // namespace atmost::postgres
