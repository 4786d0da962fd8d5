// Words in mapped files: robust lists, get_robust_list(2), and futex(2).
#include <linux/futex.h>

#include "world/kernel.h"

namespace world {

std::optional<Word> Kernel::word_at(const Process& process, const void* address) const {
  const char* const at = static_cast<const char*>(address);
  for (const Mapping& each : process.mappings) {
    if (each.description == 0 || at < each.at || at >= each.at + each.size) continue;
    return Word{descriptions_.at(each.description).inode, each.offset + (at - each.at)};
  }
  return std::nullopt;
}

std::uint32_t Kernel::read_word(const Word& word) const {
  std::uint32_t value = 0;
  read(inode(word.inode), &value, sizeof value, word.at);
  return value;
}

int Kernel::ring(const Word& word, bool wakes) {
  int count = 0;
  for (const auto& each : processes_) {
    auto* const wanted = std::get_if<WordWanted>(&each->wanted);
    if (wanted == nullptr || wanted->rung || wanted->inode != word.inode || wanted->at != word.at)
      continue;
    // A process that is stopped, or frozen with its container, has left the word until it goes on.
    if (!each->alive() || each->dying || each->stopped || each->frozen_until_ns > now_ns_) continue;
    ++count;
    if (wakes) wanted->rung = true;
  }
  return count;
}

// exit_robust_list(): of each word that has the number of the dying process.
void Kernel::release_words(Process& process) {
  if (process.robust_list == nullptr) return;
  constexpr int kMost = 2048;
  const auto* const head = static_cast<struct robust_list_head*>(process.robust_list);
  int left = kMost;
  for (const struct robust_list* each = head->list.next; each != &head->list && left-- > 0;
       each = each->next) {
    const auto word = word_at(process, reinterpret_cast<const char*>(each) + head->futex_offset);
    if (!word) continue;
    const std::uint32_t value = read_word(*word);
    if ((value & FUTEX_TID_MASK) != static_cast<std::uint32_t>(process.pid)) continue;
    const std::uint32_t dead = (value & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
    write(inode(word->inode), &dead, sizeof dead, word->at);
    trace(process, "word at %lld says that it died", static_cast<long long>(word->at));
    if ((value & FUTEX_WAITERS) != 0) ring(*word, true);
  }
}

bool Kernel::wish_granted(const Process& process) const {
  if (const auto* lock = std::get_if<LockWanted>(&process.wanted))
    return !inode(lock->inode).locks.refuses(lock->lock);
  if (const auto* flock = std::get_if<FlockWanted>(&process.wanted))
    return !inode(flock->inode).flocks.refuses(flock->lock);
  if (const auto* ready = std::get_if<ReadyWanted>(&process.wanted)) {
    for (const auto& each : ready->entries) {
      if (ready_events(process, each.description, each.events) != 0) return true;
    }
    return false;
  }
  if (const auto* word = std::get_if<WordWanted>(&process.wanted)) {
    // A process that was stopped looks at the word again.
    return word->rung || (process.frozen_until_ns > word->since_ns &&
                          read_word({word->inode, word->at}) != word->expected);
  }
  if (const auto* signal = std::get_if<SignalWanted>(&process.wanted))
    return (process.signals.pending & signal->set) != 0;
  return false;
}

}  // namespace world
