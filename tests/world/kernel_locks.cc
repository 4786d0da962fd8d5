// Locks of files, as processes change them.
#include <algorithm>

#include "world/kernel.h"

namespace world {

bool Kernel::owns(const Process& process, const LockOwner& owner) {
  if (!owner.description) return owner.id == process.pid;
  const auto has = [&owner](const auto& each) { return each.second.description == owner.id; };
  const auto maps = [&owner](const Mapping& each) { return each.description == owner.id; };
  return process.closing == owner.id || std::ranges::any_of(process.descriptors, has) ||
         std::ranges::any_of(process.mappings, maps);
}

// Tells the observer of a change, and of the guard: byte 0, locked for writing.
template <class Change>
void Kernel::change_locks(Process& process, int file, const LockOwner& owner, Change change) {
  ByteLocks& locks = inode(file).locks;
  const ByteLock guard = {owner, true, 0, 0};
  const bool had = locks.holds(guard);
  const std::uint64_t before = locks.changes();
  change(locks);
  if (locks.changes() == before) return;
  const bool has = locks.holds(guard);
  observer_.locks_changed(process, file);
  if (has && !had) {
    ++process.guards;
    observer_.guard_taken(process, file);
  } else if (had && !has) {
    --process.guards;
    observer_.guard_dropped(process, file);
  }
}

void Kernel::lock(Process& process, int file, const ByteLock& lock) {
  change_locks(process, file, lock.owner, [&](ByteLocks& locks) { locks.lock(lock); });
}

void Kernel::unlock(Process& process, int file, const ByteLock& bytes) {
  change_locks(process, file, bytes.owner, [&](ByteLocks& locks) { locks.unlock(bytes); });
}

void Kernel::drop_locks(Process& process, int file, const LockOwner& owner) {
  if (owner.description) inode(file).flocks.drop(owner);
  change_locks(process, file, owner, [&](ByteLocks& locks) { locks.drop(owner); });
}

}  // namespace world
