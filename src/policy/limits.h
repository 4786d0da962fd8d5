// The limits of one request: as it says, or learned.
#ifndef ATMOST_POLICY_LIMITS_H
#define ATMOST_POLICY_LIMITS_H

#include "core/request.h"
#include "core/stats.h"
#include "core/tuning.h"
#include "core/view.h"

namespace atmost::policy {

// What is `auto` is learned from the view's memory; without one (or with one that cannot be ours,
// or without enough runs of the lock's own), from nothing: no interval, and the longest time.
// ExpireAfter is never shorter than IfElapsed, and where both are learned, longer than the usual
// interval.
Limits limits_of(const Request& request, const View& view);

// The same for all three, with the way there.
Tuning tuning_of(const LockStats& memory, const DirectoryStats& experience,
                 const LearnedBounds& bounds);

// Remembers what happened. LearnFn (memory.h); memory that cannot be ours is begun anew.
void remember(LockStats& memory, DirectoryStats& experience, const RunSample& what);

}  // namespace atmost::policy

#endif
