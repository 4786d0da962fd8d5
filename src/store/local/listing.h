// Holders and waiters: their records, corrected by the locks and the running processes.
#ifndef ATMOST_STORE_LOCAL_LISTING_H
#define ATMOST_STORE_LOCAL_LISTING_H

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/view.h"
#include "lock_file.h"

namespace atmost::local {

Record make_record(const Request& request, std::uint32_t slot, std::uint64_t token,
                   const Instant& now, const Identity& identity, std::uint32_t user);

// Describes the holder of one held slot. `live_word`: the kernel confirms that its supervisor runs.
void describe_holder(LockFile& file, std::uint32_t slot, bool live_word, HolderView& to);

// The holders of the lowest held slots, as many as fit; holders without a record are listed with
// the pid that the kernel suggests and that process's start. Returns how many. Kernel locks decide
// who is listed; records only add to it.
std::size_t collect_holders(LockFile& file, std::span<HolderView> to);

// The process that has the guard locked, found by looking through every process's descriptors; 0
// when it cannot be seen. For a message, not for a signal. Slow: milliseconds.
std::int64_t guard_holder(const LockFile& file);

// If the record's process has ended, replaces it by a process that has the slot locked: for
// listings, not for signals. If none is found, changes nothing. `gathered`: whether an earlier call
// for this file has already looked through all processes, which takes milliseconds and happens only
// for such a slot. Not thread-safe.
void name_who_is_left(const LockFile& file, HolderView& holder, bool& gathered);

// Whether this process's ancestors, or descriptors that it inherited, hold so many slots of the
// file that spec.take can never be had while they run; one is enough when either side is exclusive.
// The kernel's own lists decide (/proc/self/fdinfo), then the holders' records together with the
// chain of parents. Of slots that are kept for a process (atmost hold), those of request.kept_for
// count.
bool own_tree_blocks(LockFile& file, const LockSpec& spec, const Request& request);

}  // namespace atmost::local

#endif
