// Pieces of SQL that several files of this room use.
#ifndef ATMOST_STORE_POSTGRES_STATEMENTS_H
#define ATMOST_STORE_POSTGRES_STATEMENTS_H

#include <span>
#include <string>
#include <vector>

#include "client.h"
#include "core/request.h"
#include "facts.h"

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
// The number of this database's state: another one where rows may be missing (admission.cc).
std::string era_name();
// For how many more microseconds there are no admissions because of that; null: this era was not
// seen before.
std::string pause_left();
// Begins an era that is seen for the first time: no lease was granted in it yet.
Statement begin_era();
// A number of microseconds, at most what is left until for ever.
Duration micros_span(std::int64_t micros);
// A subquery of all of that: `none` (there are no eras), `longest` (lease of all), `pause`.
std::string era_sums();
// The same, queried at once; begins an era that was not seen before. `why_paused`: in words.
Duration pause_now(Connection& connection, std::int64_t deadline_boot_ns);
std::string why_paused(Duration left);

// The caller of a row: owner, host, boot, pid, uid, id, command.
void add_caller(std::vector<Value>& to, const Request& request, const ClientId& client);

// Locks the row of a lock that exists.
Statement take_row(const std::string& key);
// A column (text) that makes its transaction end without waiting for the disk. So it keeps no row
// of a lock locked meanwhile, and others are notified at once. Its writes may be lost if the
// server's machine dies within a second; later writes of others are lost with it. A caller that
// relies on it adds on_disk() behind the COMMIT, before the end of the batch.
std::string unwaited();
// Is answered when all that this server has written so far is as safe as the server's setting
// synchronous_commit makes it.
Statement on_disk();
// True if a row of atmost.waiter counts: it was refreshed lately, and its session still exists
// (otherwise its advisory lock would be free).
std::string waiter_lives();
// True if it also waits for a slot of this lock, as its rate allows it. A hint: the rule decides.
std::string waiter_claims();
// True if the row keeps its place in the queue, even if it does not count at the moment.
std::string waiter_is_kept();
std::string waiter_is_over();
// The time for which each refresh of a place is good.
inline constexpr Duration kPlaceLasts = Duration::seconds(30);

// The part of a place that others read, and that changes.
struct PlaceNote {
  Micros due = 0;       // until then its rate does not allow the caller; 0: it has none
  bool parked = false;  // it waits for something else than this lock
};

// Returns the ticket. For --on-busy=supersede, the waiters that say so too are replaced, and
// notified.
Statement draw_place(const LockFacts& lock, const Request& request, const Client& client,
                     const PlaceNote& note);
Statement note_place(const std::string& key, std::uint64_t ticket, const PlaceNote& note);
// A turn that begins wakes its waiter, and counts from when it is written, as others could not
// decide before.
Statement note_turn(const LockFacts& lock, const LockFacts::Note& note, const std::string& clock);
Statement leave_place(const std::string& key, const ClientId& client);

// Notifies the first two waiters of each queue: they judge whether it is their turn, and the second
// notices when the first does not come. Also deletes places that have ended, since it may be the
// only statement to do so.
Statement wake_first(const std::string& key);

std::string array_of(std::span<const std::uint32_t> slots);

// The rows of one lock.
struct HeldRows {
  std::string key;
  rule::Held held;
};

// Frees the slots; returns them.
Statement drop_rows(const HeldRows& one);
// Renews them, unless a stop was requested. Returns slot and asked of each.
Statement renew_rows(const HeldRows& one, Duration ttl);

// Notes the era, if it is a new one, and the longest lease.
void add_era(std::vector<Statement>& to, const Era& era, Duration ttl);
// All statements of a caller, from its first look to its end, in a transaction that is rolled back:
// for the doctor.
std::vector<Statement> rehearsal(const Client& client);

inline Value number(std::int64_t value) { return std::to_string(value); }
inline Value number(std::uint64_t value) { return std::to_string(value); }
inline Value number(std::uint32_t value) { return std::to_string(value); }
inline Value truth(bool value) { return value ? "t" : "f"; }

}  // namespace atmost::postgres

#endif
