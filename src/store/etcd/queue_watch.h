// Waiting: a watch on the changes that a caller's next attempt depends on.
#ifndef ATMOST_STORE_ETCD_QUEUE_WATCH_H
#define ATMOST_STORE_ETCD_QUEUE_WATCH_H

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "caller.h"

namespace atmost::etcd {

class QueueWatch {
 public:
  explicit QueueWatch(Caller& caller) : caller_(caller) {}

  // Waits in the queue of one lock, as Session::await() says. An Error: no majority is there.
  Result<Wake> await(std::uint32_t lock, const Ticket& ticket, std::int64_t deadline_boot_ns);
  // Closes the watch; the snapshots of the locks are not kept up to date any more.
  void stop();

  // Whether the snapshot of the only lock is current: the watch has added every change to it.
  bool up_to_date() const { return up_to_date_; }
  // To be called when all locks were read anew.
  void looked();
  // Whether the snapshot of the only lock has been a guess since await() returned (foresee()).
  // Resets it.
  bool take_guess() { return std::exchange(guessed_, false); }

 private:
  // What is watched: the place of the waiter before us, or the admissions of the lock that refused
  // us.
  enum class Watched : std::uint8_t { nothing, place, admissions };

  OpenLock& lock() { return caller_.locks[lock_]; }
  bool is_near();
  // False: look again.
  Result<bool> begin(const Ticket& ticket);
  // From `from_revision` on (0: from now on); from `unseen` on what must not be missed.
  void watch(Watched what, std::uint64_t from_revision, std::uint64_t unseen);
  std::uint64_t watch_begun();
  Result<bool> still_behind();
  void move_up();
  // Then pauses for a moment.
  void change_endpoint();
  // Whether there is a majority: makes a request that only a majority can answer. True: the waiter
  // before us has gone, and the watch did not report it.
  Result<bool> ask_majority();
  // Whether the watch can be relied on. False: look again.
  Result<bool> still_hears();
  Result<Wake> follow(const Ticket& ticket, std::int64_t until_boot_ns);
  // Whether there is reason to ask again.
  bool heed(const Ticket& ticket, const std::string& line);
  bool heed_change(const Ticket& ticket, const WatchReply& reply);
  bool heed_event(const WatchReply::Event& event);

  Caller& caller_;
  std::uint32_t lock_ = 0;
  std::unique_ptr<Flow> flow_;
  Watched watched_ = Watched::nothing;
  std::size_t endpoint_ = 0;  // of the flow
  bool guessed_ = false;
  bool up_to_date_ = false;
  Renewals followed_at_;  // as they were when we began to wait for the flow
};

}  // namespace atmost::etcd

#endif
