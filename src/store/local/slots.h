// Finding and reserving slots. All of it happens under the guard.
//
// Admission is proven by counting: we hold K bytes at or below N, and one query proves that no byte
// above N is held by others; so at most N are held, by any holders and with any hints. If some
// above N are held (callers with larger limits), the held bytes are counted exactly. Refusal is
// proven slot by slot: each slot that counted as held either refused our lock or carries the word
// of a living supervisor, and a few of the latter are queried as well.
#ifndef ATMOST_STORE_LOCAL_SLOTS_H
#define ATMOST_STORE_LOCAL_SLOTS_H

#include <cstdint>

#include "core/request.h"
#include "core/result.h"
#include "lock_file.h"
#include "os/futex.h"
#include "os/locks.h"

namespace atmost::local {

// The slots that one attempt found and, for the time being, holds.
struct Reservation {
  std::uint32_t count = 0;  // reserved slots
  bool mode_held = false;   // the mode byte is ours (exclusive)
  // The words of all reserved slots were read under this guard, and say nothing: no living or dead
  // owner, no taker's note.
  bool words_blank = true;
  bool met_dead = false;  // by the word of some reserved slot its last holder was killed
  // By the word of some slot that is held its supervisor was killed.
  bool met_left = false;
  std::uint32_t drained = 0;  // so many of the slots that are in the way are drained
  // `count` of them, ascending. Borrowed, room for kMaxTake: where the slots stay once they are
  // held.
  std::uint32_t* slots = nullptr;

  // Keeps the order.
  void insert(std::uint32_t slot) {
    std::uint32_t at = count++;
    for (; at > 0 && slots[at - 1] > slot; --at) slots[at] = slots[at - 1];
    slots[at] = slot;
  }
  // The word of a slot that was reserved now is about its earlier holders.
  void note(const Word& word) {
    if ((word.thread & os::kOwnerDied) != 0) met_dead = true;
    if (word.thread != 0 || (word.flags & kRevokedFlag) != 0) words_blank = false;
  }
  // Empties the list; the old numbers stay in memory.
  void clear() {
    mode_held = met_dead = met_left = false;
    words_blank = true;
    count = drained = 0;
  }
};

// Memory for words that are read; the caller owns it because threads of a library use stores at the
// same time.
struct WordBuffer {
  static constexpr std::uint32_t kCapacity = 16384;
  Word words[kCapacity];
};

// Gives back all slots but the lowest `take`.
void keep_lowest(std::uint32_t take, LockFile& file, os::Owner owner, Reservation& reserved);
void drop(LockFile& file, os::Owner owner, Reservation& reserved);

// Slots held through other descriptors, counted up to `enough`. Range queries that split at each
// conflict: about two calls for each held run of slots.
Status count_held(LockFile& file, std::uint32_t first, std::uint32_t last, std::uint32_t enough,
                  std::uint32_t& held);

// The owner of the slot locks that the request asks for.
os::Owner owner_for(const Request& request);

// True if a waiter should ask again because a slot that it can use may be free. Cheap, without the
// guard; may say yes without need. Believes the words of living supervisors: the head of a queue
// does not depend on this.
bool may_have_room(const LockFile& file, const LockSpec& spec, WordBuffer& buffer);

// The search for free slots: locks them one by one, and skips slots whose words show a living
// supervisor.
class Search {
 public:
  Search(LockFile& file, const LockSpec& spec, os::Owner owner, WordBuffer& buffer, Reservation& to)
      : file_(file),
        spec_(spec),
        owner_(owner),
        words_(spec.max <= kFew ? few_ : buffer.words),
        to_(to) {}

  // Reserves until `wanted` slots are ours or every slot up to N is known to be held or drained.
  Status until(std::uint32_t wanted);
  // The same from the start, without the slots that are being taken over: those are for the head of
  // the queue, else for the taker, not for a newcomer.
  Status without_taken_over(std::uint32_t wanted);

 private:
  // False if a call failed; error_ has the reason.
  bool take(std::uint32_t slot);
  bool scan(std::uint32_t first, std::uint32_t last);
  bool jump();
  bool spot_check();
  bool read_words_at(std::uint32_t slot);
  bool enough() const { return to_.count >= wanted_; }
  bool ours(std::uint32_t slot) const;

  LockFile& file_;
  const LockSpec& spec_;
  os::Owner owner_;
  // Nearly all locks have few slots: then no page of the buffer is touched.
  static constexpr std::uint32_t kFew = 16;
  Word few_[kFew];
  Word* words_;  // of slots words_first_ … words_first_ + words_count_ − 1
  Reservation& to_;
  std::uint32_t wanted_ = 0;
  std::uint32_t tried_in_vain_ = 0;
  std::uint32_t believed_ = 0;  // slots skipped because their words show a living supervisor
  bool believe_ = true;
  bool leave_taken_over_ = false;
  bool jumped_ = false;
  std::uint32_t words_first_ = 0;
  std::uint32_t words_count_ = 0;
  int error_ = 0;
};

// Finding locked ranges by queries. For a range, the kernel names any one conflict, not the
// left-most.

struct Run {
  bool found = false;
  std::int64_t start = 0;
  std::int64_t end = 0;  // behind the last byte
  os::Conflict lock;     // whose bytes are all those of one lock
};

// The left-most lock of others in [low, end), clipped to it. Takes about two queries
// for each run when the locks were taken in ascending order. `against`: read to ignore read locks.
// Returns 0 or an errno value.
int first_locked(int fd, std::int64_t low, std::int64_t end, Run& to,
                 os::LockKind against = os::LockKind::write);

// The right-most run; at least its last byte is reported. Looks near `end` first, where it usually
// is.
int last_locked(int fd, std::int64_t low, std::int64_t end, Run& to,
                os::LockKind against = os::LockKind::write);

}  // namespace atmost::local

#endif
