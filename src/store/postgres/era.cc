// After a failover or a restore, the rows of holders that still run may be missing. So there are no
// admissions until these holders have stopped.
#include <algorithm>

#include "core/words.h"
#include "os/clock.h"
#include "session.h"
#include "statements.h"

namespace atmost::postgres {
namespace {

// No lease was granted in it yet.
Statement begin_era() {
  return {"INSERT INTO atmost.era (timeline, since, longest) VALUES (" + era_name() +
              ", clock_timestamp(), 0) ON CONFLICT DO NOTHING",
          {}};
}

Duration duration_of(std::int64_t micros) {
  return Duration{std::clamp<std::int64_t>(micros, 0, Duration::kForever / 1000 - 1) * 1000};
}

}  // namespace

// Where rows may be missing, at least one of these differs: the timeline after a failover or a
// recovery to a point in time, the table when it was made anew from a dump, the database when it is
// a copy of another, the cluster when its files are others. The first three stay while a session
// lasts and are read at its beginning (connecting.cc).
std::string era_name() {
  return "hashtextextended(concat_ws(' ', current_setting('atmost.cluster'), "
         "'atmost.era'::regclass::oid, current_setting('atmost.timeline')), 0)";
}

// The very first era has no beginning and no pause. A lease that is granted in an era does not
// lengthen the era's own pause.
std::string era_sums() {
  return "(SELECT none, longest, CASE WHEN since = 'epoch' THEN 0 ELSE greatest(before - "
         "greatest(" +
         micros("(clock_timestamp() - since)") +
         ", 0), 0) END + CASE WHEN since IS NULL THEN NULL ELSE 0 END AS pause FROM (SELECT "
         "count(*) = 0 AS none, coalesce(max(longest), 0) AS longest, coalesce(max(longest) FILTER "
         "(WHERE timeline <> this), 0) AS before, max(since) FILTER (WHERE timeline = this) AS "
         "since FROM atmost.era, (SELECT " +
         era_name() + " AS this) now) sums)";
}

std::string pause_left() { return "(SELECT pause FROM " + era_sums() + " eras)"; }

// The remaining time of the longest lease that may have been lost. Its holder cannot renew it, and
// will have stopped by then. Zero: it is over. Records an era that is seen for the first time,
// which needs a transaction of its own.
void PostgresSession::recover(Connection& connection, std::int64_t deadline) {
  const Era& era = locks_.front()->era;
  recovering_ = {};
  if (era.first) return;
  if (!era.pause_us) {
    connection.abandon(deadline);
    const Statement seen[] = {begin_era()};
    connection.ask(seen, deadline);
    throw changed_error("the server has a new timeline; ask again");
  }
  recovering_ = duration_of(*era.pause_us);
}

Duration pause_now(Connection& connection, std::int64_t deadline) {
  const Statement question[] = {
      {"SELECT " + or_none(pause_left()) + ", NOT EXISTS(SELECT FROM atmost.era)", {}, 2}};
  for (int tries = 0; tries < 2; ++tries) {
    const std::vector<Rows> answers = connection.ask(question, deadline);
    answers[0].expect(1);
    if (answers[0].boolean(0, 1)) break;
    if (const auto left = answers[0].maybe_integer(0, 0)) return duration_of(*left);
    const Statement seen[] = {begin_era()};
    connection.ask(seen, deadline);
  }
  return {};
}

std::string why_paused(Duration left) {
  const Duration whole = Duration::seconds(left.ns / 1'000'000'000 + 1);
  return "this server took over from another, or was restored, and does not know of every holder "
         "yet: locks are given again in " +
         std::string(duration_words(whole).view()) +
         ", when the longest lease ever given is over; or at once, when every holder from before "
         "has surely stopped, by TRUNCATE atmost.era";
}

// Records the lease that is about to be granted, if it is the longest, or the first of all.
void add_era(std::vector<Statement>& to, const Era& era, Duration ttl) {
  const std::int64_t ttl_us = ttl.ns / 1000;
  if (!era.first && era.longest_us >= ttl_us) return;
  to.push_back({"INSERT INTO atmost.era AS old (timeline, since, longest) VALUES (" + era_name() +
                    ", 'epoch', $1) ON CONFLICT (timeline) DO UPDATE SET longest = "
                    "greatest(old.longest, $1)",
                {number(ttl_us)}});
}

}  // namespace atmost::postgres
