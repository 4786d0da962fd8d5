// After a failover or a restore rows may be missing of holders that live: until they have stopped nobody is admitted.
#include "asking.h"
#include "os/clock.h"

namespace atmost::postgres {

// How much longer the longest lease that may have been lost lasts; its holder cannot renew it, and has stopped by then. Zero:
// it is over. Remembers a timeline that is seen for the first time, which needs a transaction of its own.
Duration PostgresStore::recovery(Link& link, const Asked& asked, std::int64_t deadline) {
  const Sight& sight = asked.locks.front().sight;
  if (sight.first_era) return {};
  if (sight.era_us < 0) {
    link.abandon(deadline);
    const Statement seen[] = {{"INSERT INTO atmost.era (timeline, since, longest) VALUES (" + timeline() +
                                   ", clock_timestamp(), $1) ON CONFLICT DO NOTHING",
                               {number(sight.longest_us)},
                               "INSERT",
                               0}};
    link.ask(seen, deadline);
    throw Trouble{Trouble::Kind::refused, "a timeline that was not known", "40001", Code::unavailable};
  }
  const std::int64_t left_us = sight.longest_us - sight.era_us;
  return left_us > 0 ? Duration{left_us * 1000} : Duration{};
}

// Remembers the lease that is about to be given, if it is the longest, or the first of all.
void PostgresStore::add_era(std::vector<Statement>& to, const Sight& sight, Duration ttl) {
  const std::int64_t ttl_us = ttl.ns / 1000;
  if (!sight.first_era && sight.longest_us >= ttl_us) return;
  to.push_back({"INSERT INTO atmost.era AS old (timeline, since, longest) VALUES (" + timeline() +
                    ", 'epoch', $1) ON CONFLICT (timeline) DO UPDATE SET longest = greatest(old.longest, $1)",
                {number(ttl_us)},
                "INSERT",
                0});
}

}  // namespace atmost::postgres
