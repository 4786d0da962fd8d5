// The search for free slots: locks them one by one, and passes over those that a word vouches for.
#ifndef ATMOST_STORE_LOCAL_SLOT_SEARCH_H
#define ATMOST_STORE_LOCAL_SLOT_SEARCH_H

#include <cstdint>

#include "slots.h"

namespace atmost::local {

// Whether a waiter should ask again: a slot that would do for it may be free. Without the guard,
// and cheaply; may say yes without need. Words of living supervisors are believed: the head of a
// queue does not depend on this.
bool may_have_room(const LockFile& file, const LockSpec& spec, WordBuffer& buffer);

class Search {
 public:
  Search(LockFile& file, const LockSpec& spec, os::Owner owner, WordBuffer& buffer, Reservation& to)
      : file_(file), spec_(spec), owner_(owner), words_(buffer.words), to_(to) {}

  // Reserves until `wanted` slots are ours or every slot up to N is known to be held or drained.
  Status until(std::uint32_t wanted);
  // The same anew, without the slots that somebody is just taking over: those are for the head of
  // the queue, else for the taker, not for a newcomer.
  Status without_taken_over(std::uint32_t wanted);
  // It was seen on the way that nothing above N is locked: no slot, mode, takeover, ticket.
  bool nothing_behind() const { return nothing_behind_; }

 private:
  // False when a call failed: error_ says why.
  bool take(std::uint32_t slot);
  int take_first(std::uint32_t slot);
  bool scan(std::uint32_t first, std::uint32_t last);
  bool jump();
  bool spot_check();
  bool read_words_at(std::uint32_t slot);
  bool enough() const { return to_.count >= wanted_; }
  bool ours(std::uint32_t slot) const;

  LockFile& file_;
  const LockSpec& spec_;
  os::Owner owner_;
  Word* words_;  // of slots words_first_ … words_first_ + words_count_ − 1
  Reservation& to_;
  std::uint32_t wanted_ = 0;
  std::uint32_t tried_in_vain_ = 0;
  std::uint32_t believed_ = 0;  // slots passed over because a word vouched for them
  bool believe_ = true;
  bool leave_taken_over_ = false;
  bool jumped_ = false;
  bool nothing_behind_ = false;
  std::uint32_t words_first_ = 0;
  std::uint32_t words_count_ = 0;
  int error_ = 0;
};

}  // namespace atmost::local

#endif
