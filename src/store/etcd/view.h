// What a decision may know of a lock that etcd keeps.
#ifndef ATMOST_STORE_ETCD_VIEW_H
#define ATMOST_STORE_ETCD_VIEW_H

#include <cstdint>
#include <vector>

#include "core/view.h"
#include "snapshot.h"

namespace atmost::etcd {

// Whether the slot is closed to this caller: drained, or another caller is taking it over and this
// one has no ticket.
bool is_closed(const Snapshot& seen, const CallerPlace& place, std::uint32_t slot);

// The lowest slots that the caller may take; fewer than it wants when there are not as many.
std::vector<std::uint32_t> free_slots(const Snapshot& seen, const CallerPlace& place);

// Without first_in_rate, which rates.h knows. `holders` is the memory of the view's span.
// `cooled_ns`: how long ago the admission was that the interval counts from, by etcd's own clock;
// -1: long ago, or never.
View view_of(const Snapshot& seen, const CallerPlace& place, const Instant& now,
             std::int64_t cooled_ns, std::vector<HolderView>& holders);

// Whether a waiter before us could take what it waits for right now.
bool is_owed(const Snapshot& seen, const CallerPlace& place);
// The waiters that would become `passed`: the caller does not wait for them.
void overtake(const CallerPlace& place, Snapshot& seen);

HolderView holder_view(const Snapshot::Holder& holder);

}  // namespace atmost::etcd

#endif
