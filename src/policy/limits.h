// The limits of one request: those that it states, or learned ones.
#ifndef ATMOST_POLICY_LIMITS_H
#define ATMOST_POLICY_LIMITS_H

#include <string_view>

#include "core/request.h"
#include "core/stats.h"
#include "core/time.h"
#include "core/view.h"

namespace atmost::policy {

// A limit of `auto` is computed from the view's statistics. If there are none, if they cannot have
// been written by us, or if the lock itself has too few runs, the result has no interval and the
// longest time. ExpireAfter is never shorter than IfElapsed, and where both are learned, longer
// than the usual interval. A learned silence is as long as a whole run may take: no silence of a
// run is longer than the run, so the risk is kept, and a run that works on is not stopped.
Limits limits_of(const Request& request, const View& view);

// All three limits, and the derivation of each.
Tuning tuning_of(const LockStats& lock_stats, const DirectoryStats& directory_stats,
                 const LearnedBounds& bounds);

// Adds a sample to the statistics (LearnFn, stats.h). Statistics that we cannot have written are
// replaced by empty ones. Returns whether the sample is of a successful run that was suspiciously
// short; or of a request that was refused, and with which requests begin to be spam; or of a run at
// a limit that is longer by now.
bool remember(LockStats& lock_stats, DirectoryStats& directory_stats, const RunSample& what);

// Spreading callers that start together (--splay): a part of `whole`, at least 0 and below it,
// always the same for one host and lock: jobs of many hosts spread out, yet each keeps its own time
// of day. Forever gives 0, so that no caller waits for ever.
Duration splay_part(Duration whole, std::string_view host, std::string_view lock);

}  // namespace atmost::policy

#endif
