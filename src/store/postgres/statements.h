// Pieces of SQL that several files of this room use.
#ifndef ATMOST_STORE_POSTGRES_STATEMENTS_H
#define ATMOST_STORE_POSTGRES_STATEMENTS_H

#include <string>
#include <vector>

#include "core/request.h"
#include "snapshot.h"

namespace atmost::postgres {

// A moment or an interval as a whole number of microseconds.
std::string micros(const std::string& expression);
// $n, a number of microseconds, as an interval and as a moment.
std::string interval_of(int parameter);
std::string moment_of(int parameter);

// The number of this database's history: another after each failover or restore (PostgreSQL,
// "timelines"). A server that takes writes keeps its own; so a session asks once, for the setting
// that known_timeline() reads.
std::string timeline();
std::string known_timeline();
// The number of this database's state: another one where rows may be missing (era.cc).
std::string era();
// For how many more microseconds there are no admissions because of that; null: this era was not
// seen before.
std::string pause_left();
// A subquery of all of that: `none` (there are no eras), `longest` (lease of all), `pause`.
std::string era_sums();
// The same, queried at once; begins an era that was not seen before. `why_paused` says it in words.
Duration pause_now(Connection& connection, std::int64_t deadline_boot_ns);
std::string why_paused(Duration left);

// The moment that goes into records: the given one, or the server's. As a parameter: null for the
// server's.
Value given_moment(const Instant& now);

// The caller of a row: owner, host, boot, pid, uid, id, command.
void add_caller(std::vector<Value>& to, const Request& request, const ClientId& client);

// In a row of atmost.lock: the first of the last $n admissions, null if there were fewer. Without a
// list there is only the last.
std::string first_of_last(int parameter);

// Locks the row of a lock that exists.
Statement take_row(const std::string& key);
// The same, in a transaction that ends without waiting for the disk (unwaited()).
Statement take_row_unwaited(const std::string& key);
// A column (text) that makes its transaction end without waiting for the disk. So it keeps no row
// of a lock locked meanwhile, and others are notified at once. What it wrote may be lost if the
// server's machine dies within a second; what others have written since is lost with it. A caller
// that relies on it adds on_disk() behind the COMMIT, before the end of the batch.
std::string unwaited();
// Is answered when all that this server has written so far is as safe as the server's setting
// synchronous_commit makes it.
Statement on_disk();
// Whether a row of atmost.waiter counts: it was refreshed lately, and its session still exists
// (otherwise its advisory lock would be free).
std::string waiter_lives();
// Whether its rate, if it has one, allows the waiter; `clock` is an SQL expression.
std::string is_due(const std::string& clock);
// Whether the row keeps its place in the queue, even if it does not count at the moment.
std::string waiter_is_kept();
std::string waiter_is_over();
// Notifies the first waiter of each queue that could be admitted by now. Also deletes places that
// have ended, since it may be the only statement to do so.
//
// A turn is used or passed: a waiter that was notified counts for one more second (`expires` says
// until when), and counts again once it has made an attempt and was refused. A waiter that makes no
// attempt is overtaken, and keeps its place for later.
Statement wake_first(const std::string& key);
// The same, for a caller that sees a slot which is owed to another waiter: that waiter may not have
// been notified, for example when a lease ended by itself. A waiter that was notified, or refreshed
// its row, less than a second ago is not notified again.
Statement call_silent_first(const std::string& key);

std::string array_of(const std::vector<std::uint32_t>& slots);

inline Value number(std::int64_t value) { return std::to_string(value); }
inline Value number(std::uint64_t value) { return std::to_string(value); }
inline Value number(std::uint32_t value) { return std::to_string(value); }
inline Value truth(bool value) { return value ? "t" : "f"; }

}  // namespace atmost::postgres

#endif
