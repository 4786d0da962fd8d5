// Showing a lock in the C library without taking it.
#ifndef ATMOST_LIBRARY_ENTRIES_H
#define ATMOST_LIBRARY_ENTRIES_H

#include <cstdint>

#include "atmost/atmost.h"
#include "core/request.h"
#include "core/result.h"
#include "core/schemes.h"

namespace atmost::limiter {

// Calls `each` for everything that atmost list shows of the lock, in its order, until it returns
// nonzero or there is no more. Creates nothing and takes no lock.
Status show_entries(const Scheme& scheme, const LockSpec& lock,
                    int (*each)(void* context, const atmost_entry* entry), void* context);

// The number of instances that hold it. Creates nothing and takes no lock.
Result<std::uint32_t> count_holders(const Scheme& scheme, const LockSpec& lock);

}  // namespace atmost::limiter

#endif
