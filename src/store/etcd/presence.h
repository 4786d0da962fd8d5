// Finds out if the holders that a waiter waits for are there.
//
// A dead holder's lease ends, but each new leader of etcd grants it the whole ttl again. So a
// waiter that has seen a hold for long leaves a question, and the holder's next renewal succeeds
// only if it answers: it reads the questions, through a majority, and writes its key anew. A
// question that stood unanswered for a ttl by the waiter's own clock proves that no renewal that
// was sent since has succeeded: the holder's time is over, whatever leaders say, and the waiter
// deletes its key.
#ifndef ATMOST_STORE_ETCD_PRESENCE_H
#define ATMOST_STORE_ETCD_PRESENCE_H

#include <cstdint>
#include <map>

#include "caller.h"

namespace atmost::etcd {

class Presence {
 public:
  explicit Presence(Caller& caller) : caller_(caller) {}

  // To be called when a waiter has looked and found no room. `rank`: the number of waiters before
  // it; the first asks, the others if it does not. True: a slot was freed, look again. Failures
  // count as questions that were not asked.
  bool freed(LockFacts& lock, std::size_t rank);
  // When it is to be called next, after another look.
  std::int64_t look_at_boot_ns() const { return look_at_boot_ns_; }

 private:
  // A hold as it was seen.
  struct Known {
    std::uint64_t token = 0;
    std::uint64_t modified = 0;  // the holder's last answer
    std::int64_t since_boot_ns = 0;
    std::uint64_t question = 0;  // unanswered, since then at least
    std::int64_t asked_boot_ns = 0;
    bool answered = false;
  };
  bool freed(LockFacts& lock, const Snapshot::Holder& holder, std::size_t rank);
  void ask(LockFacts& lock, const Snapshot::Holder& holder, std::uint64_t before, Known& known);
  bool erase(LockFacts& lock, const Snapshot::Holder& holder);

  Caller& caller_;
  std::map<std::string, Known> known_;  // by the key of the slot
  std::int64_t look_at_boot_ns_ = 0;
};

}  // namespace atmost::etcd

#endif
