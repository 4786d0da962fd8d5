// Holders and waiters: the records, beside what the locks and the running processes say.
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

// Where the record's process has ended, puts a process that has the slot locked in its place: to
// show, not to signal. Nobody seen: left as it is. `gathered`: whether an earlier call for this
// file has looked through all processes already, which takes milliseconds and happens only for such
// a slot. Not thread-safe.
void name_who_is_left(const LockFile& file, HolderView& holder, bool& gathered);

// True when so many slots of the file are held by this process's ancestors, or through descriptors
// that it inherited, that spec.take can never be had while they run; one is enough when either side
// is exclusive. The kernel's own lists decide (/proc/self/fdinfo), then the holders' records
// together with the chain of parents. Of slots that are kept for a process (atmost hold) those of
// request.kept_for count.
bool own_tree_blocks(LockFile& file, const LockSpec& spec, const Request& request);

}  // namespace atmost::local

#endif
