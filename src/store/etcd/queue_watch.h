// Waiting: a watch on the changes that a caller's next attempt depends on. It is a hint: whoever is
// woken looks, and is judged.
#ifndef ATMOST_STORE_ETCD_QUEUE_WATCH_H
#define ATMOST_STORE_ETCD_QUEUE_WATCH_H

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "caller.h"

namespace atmost::etcd {

// Finds out if the holders that a waiter waits for are there.
//
// A dead holder's lease ends, but each new leader of etcd grants it the whole ttl again. So a
// waiter that has seen a hold for long leaves a question, and the holder's next renewal succeeds
// only if it answers: it reads the questions, through a majority, and writes its key anew. A
// question that stood unanswered for a ttl by the waiter's own clock proves that no renewal that
// was sent since has succeeded: the holder's time is over, whatever leaders say, and the waiter
// deletes its key.
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

class QueueWatch {
 public:
  explicit QueueWatch(Caller& caller) : caller_(caller) {}

  // Waits in the queue of one lock, as in Session::await(). An Error: no majority is there.
  // REQUIRES: the snapshot of that lock is the last look's.
  Result<Wake> await(std::uint32_t lock, const Ticket& ticket, std::int64_t deadline_boot_ns);
  // Closes the watch.
  void stop();

 private:
  // The watched keys, beside the caller's own place: those of the lock, and the place of the waiter
  // before it; or the place of the waiter kNear before that.
  enum class Watched : std::uint8_t { nothing, lock, far_ahead };

  LockFacts& lock() { return caller_.locks[lock_]; }
  // Finds out where we stand, by the last look.
  void stand(const Ticket& ticket);
  std::int64_t quiet_ns() const;
  // False: look again.
  Result<bool> begin();
  std::uint64_t watch_begun();
  // Then pauses for a moment.
  void change_endpoint();
  // Makes a request that only a majority can answer. An Error: there is no answer.
  Status ask_majority();
  // True if the watch can be relied on. False: look again.
  Result<bool> still_hears();
  Result<Wake> follow(std::int64_t until_boot_ns);
  // True if there is reason to ask again now.
  bool heed(const std::string& line);
  bool heed_event(const WatchReply::Event& event);
  bool heed_change_of_lock(const WatchReply::Event& event);
  // The waiter before us has gone.
  bool heed_gone();
  // True if every slot that we could have is held, as far as that is known.
  bool full() const;

  Caller& caller_;
  Presence presence_{caller_};
  std::uint32_t lock_ = 0;
  std::unique_ptr<Flow> flow_;
  Watched watched_ = Watched::nothing;
  std::string watched_place_;         // of another waiter; empty: none
  std::uint64_t heard_revision_ = 0;  // all that happened since is reported
  std::size_t endpoint_ = 0;          // of the flow

  // Where we stand.
  Watched stands_ = Watched::nothing;
  std::string place_ahead_;  // to be watched
  std::vector<LockFacts::Claimant> ahead_;
  std::set<std::uint32_t> held_;      // slots
  std::int64_t look_at_boot_ns_ = 0;  // then those before us had time to take what became free
};

}  // namespace atmost::etcd

#endif
