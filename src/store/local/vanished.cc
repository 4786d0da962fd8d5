// LocalStore: runs that left no end.
#include "local_store.h"
#include "os/occupancy.h"

namespace atmost::local {

// Before our words and records are written over those of the dead. Asked for only where the search
// met such a word, so that an admission after an orderly end reads nothing for it.
void LocalStore::note_vanished(Entry& entry) {
  HeldLock& held = entry.held;
  for (std::uint32_t i = 0; i < held.count && held.vanished_count < kMostVanished; ++i) {
    const std::uint32_t slot = held.slots[i];
    Word word;
    Record record;
    const int fd = entry.file.fd();
    if (read_words(fd, slot, 1, &word) != 0 || (word.thread & os::kOwnerDied) == 0) continue;
    if (!read_record(fd, slot, record) || record.token == 0) continue;
    const std::uint32_t count = held.vanished_count;
    if (count > 0 && held.vanished[count - 1].token == record.token)
      continue;  // one run, with several slots
    held.vanished[held.vanished_count++] = {slot, record.pid, record.token};
  }
}

}  // namespace atmost::local
