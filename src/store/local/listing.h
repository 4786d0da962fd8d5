// Who holds, who waits: records put beside what the locks say.
#ifndef ATMOST_STORE_LOCAL_LISTING_H
#define ATMOST_STORE_LOCAL_LISTING_H

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/view.h"
#include "lock_file.h"

namespace atmost::local {

Record make_record(const Request& request, std::uint32_t slot, std::uint64_t token,
                   const Instant& now, const Identity& identity);

// What can be said of the holder of one held slot. `live_word`: the kernel vouches for its
// supervisor.
void describe_holder(LockFile& file, std::uint32_t slot, bool live_word, HolderView& to);

// The holders of the lowest held slots, as many as fit; foreign ones with the pid the kernel
// suggests and that process's start. Returns how many. Kernel locks decide who is listed; records
// only add to it.
std::size_t collect_holders(LockFile& file, std::span<HolderView> to);

// The process that has the guard locked, found by looking through every process's descriptors; 0
// when it cannot be seen. For a message, not for a signal. Slow: milliseconds.
std::int64_t guard_holder(const LockFile& file);

}  // namespace atmost::local

#endif
