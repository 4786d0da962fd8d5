// Holders and waiters: their records, corrected by the locks and the running processes.
#ifndef ATMOST_STORE_LOCAL_LISTING_H
#define ATMOST_STORE_LOCAL_LISTING_H

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/view.h"
#include "lock_file.h"
#include "slots.h"

namespace atmost::local {

// `max_runtime`: of a supervisor; 0: none.
Record make_record(const Request& request, std::uint32_t slot, std::uint64_t token,
                   const Instant& now, const Identity& identity, std::uint32_t user,
                   Duration max_runtime);

// Describes the holder of one held slot. `live_word`: the kernel confirms that its supervisor runs.
void describe_holder(LockFile& file, std::uint32_t slot, bool live_word, HolderView& to);

// True if a lock, which covers slots, is foreign (docs/internals/lock-map.md, "Foreign locks").
bool is_foreign(int fd, const os::Conflict& lock);

// The holder of the next slots: one slot or, where a foreign lock is in the way, all that it
// covers.
struct HeldSlots {
  bool found = false;
  bool foreign = false;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::int64_t pid = 0;  // whose process-owned lock it is; 0: not known
};
// From `slot` on, up to `last`; a foreign lock may reach beyond both. 0 or an errno value.
int next_held(const LockFile& file, std::uint32_t slot, std::uint32_t last, HeldSlots& to);
// As describe_holder(), of slots that a foreign lock covers.
void describe_foreign(const LockFile& file, const HeldSlots& slots, HolderView& to);

// The holders of the lowest held slots, as many as fit; holders without a record are listed with
// the pid that the kernel suggests and that process's start. Returns how many. Kernel locks decide
// who is listed; records only add to it.
std::size_t collect_holders(LockFile& file, std::span<HolderView> to);

// Of the slots up to `max`: the holders whose supervisors were killed and had a --max-runtime
// (HolderView::supervisor_died), as many as fit. `words` is room.
std::size_t collect_left(LockFile& file, std::uint32_t max, WordBuffer& words,
                         std::span<HolderView> to);

// Names what is left of those that have held for longer than that (left_by). Slow only if there are
// some.
void name_left(const LockFile& file, const Instant& now, std::span<HolderView> holders);

// The process that has the guard locked, or a byte; found, where the kernel does not name it, by
// looking through every process's descriptors; 0 when it cannot be seen. For a message, not for a
// signal. Slow: milliseconds.
std::int64_t guard_holder(const LockFile& file);
std::int64_t locker_of(const LockFile& file, std::int64_t byte);

// If the record's process has ended, or that of a foreign lock is not known, names a process that
// has the slot locked: for listings, not for signals. If none is found, changes nothing.
// `gathered`: an earlier call for this file has already looked through all processes, which takes
// milliseconds and happens only for such a slot. Not thread-safe.
void name_who_is_left(const LockFile& file, HolderView& holder, bool& gathered);

// True if holds around this process leave so few slots that spec.take can never be had while they
// last (docs/internals/lock-map.md, "Nested callers"). The kernel's own lists decide
// (/proc/PID/fdinfo), then the holders' records together with the chain of parents.
bool own_tree_blocks(LockFile& file, const LockSpec& spec, const Request& request);

}  // namespace atmost::local

#endif
