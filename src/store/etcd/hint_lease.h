// The keys of a lock that outlive its holders, and for how long.
//
// The last admission and the last ends are for people, and for --if-elapsed inf of callers that
// come soon; refusals in a row and forgotten admissions mean something only beside them. All of it
// lies under a lease of a day; otherwise locks whose names are unbounded (one for each file, say)
// would fill etcd up. Callers share that lease instead of asking for one each: its number follows
// from the prefix and the time of day in steps of ten minutes. A caller whose clock is wrong uses
// another such lease, which works, too.
//
// Intervals have leases of their own; tokens are revisions, which need no key.
#ifndef ATMOST_STORE_ETCD_HINT_LEASE_H
#define ATMOST_STORE_ETCD_HINT_LEASE_H

#include <cstdint>
#include <string>

#include "gateway.h"

namespace atmost::etcd {

// The number of the one for keys below `prefix` at this time of day.
std::int64_t hint_lease(const std::string& prefix);
// Makes the lease, unless it exists. False: it cannot be made.
bool make_hint_lease(Gateway& gateway, std::int64_t give_up_boot_ns);

}  // namespace atmost::etcd

#endif
