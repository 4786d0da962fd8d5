// The keys of a lock in etcd. All of them begin with PREFIX/LOCK/ (LOCK is what its lock file would
// be called).
//
//   a/last              written by every admission: its last change is the token; the admission's
//                       moment
//   a/state             what is drained; refusals in a row; forgotten admissions; touched by a
//                       taker that begins to stop a holder
//   a/h/SLOT            a held slot, under its holder's lease; created by its admission
//   a/t/SLOT            a taker is stopping the slot's holder; under the taker's lease
//   a/x/SLOT            the request to the slot's holder to stop; under the holder's lease
//   a/q/SLOT            a waiter asks whether the slot's holder is there (queue_watch.h); under the
//                       waiter's lease
//   a/finish, a/success the moment of the last finish, and of the last success
//   a/cool/POINT        what proves how long ago the last start, finish or success was, under a
//                       lease that is never renewed
//   a/rate              the last admissions, for --rate (ring.h); made by the first caller with a
//                       rate
//   a/newest            the last waiter with --on-busy=supersede: its last change is that one's
//                       ticket
//   a/ever/POINT        the last start, finish or success of a run with --if-elapsed inf; stays
//   w/QUEUE/LEASE       a waiter, under its lease, and when its turn began; its creation revision
//                       is its ticket. Its admission deletes it
//   runs                what was learned from its runs (edit.cc); PREFIX/runs: from all
//                       locks'
//
// a/last, a/finish, a/success and a/newest are deleted a day later; so is a/state unless something
// is drained, and a/rate unless a window is longer than an hour (transactions.h).
#ifndef ATMOST_STORE_ETCD_KEYS_H
#define ATMOST_STORE_ETCD_KEYS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/request.h"
#include "rule/facts.h"

namespace atmost::etcd {

class Keys {
 public:
  Keys() = default;
  Keys(const std::string& prefix, std::string_view lock);

  std::string admission() const { return base_ + "a/"; }  // what a waiter at the head watches
  std::string last() const { return base_ + "a/last"; }
  std::string state() const { return base_ + "a/state"; }
  std::string rate() const { return base_ + "a/rate"; }
  std::string newest() const { return base_ + "a/newest"; }
  std::string finish() const { return base_ + "a/finish"; }
  std::string success() const { return base_ + "a/success"; }
  std::string held(std::uint32_t slot) const { return base_ + "a/h/" + digits(slot); }
  std::string holders() const { return base_ + "a/h/"; }
  std::string taking(std::uint32_t slot) const { return base_ + "a/t/" + digits(slot); }
  std::string question(std::uint32_t slot) const { return questions() + digits(slot); }
  std::string questions() const { return base_ + "a/q/"; }
  std::string asked() const { return base_ + "a/x/"; }
  std::string asked(std::uint32_t slot) const { return asked() + digits(slot); }
  std::string cooling(ElapsedFrom from) const;
  std::string ever(ElapsedFrom from) const;
  // True if held() or taking() could have made it.
  bool is_held(std::string_view key) const;
  bool is_taking(std::string_view key) const;
  bool is_question(std::string_view key) const { return key.starts_with(questions()); }

  std::string runs() const { return base_ + "runs"; }

  std::string waiters() const { return base_ + "w/"; }
  // Plain callers queue by their limit. Shared and exclusive callers have one queue, under two
  // prefixes, because a reader has to know of writers only.
  std::string queue(const LockSpec& lock) const;
  // The queue that it lies in; none: waiter() cannot have made it.
  std::optional<rule::Queue> queue_of_place(std::string_view key) const;
  // The place of the waiter that has this lease.
  std::string waiter(const LockSpec& lock, std::int64_t lease) const;
  std::string writers() const { return waiters() + "x/"; }
  std::string readers() const { return waiters() + "s/"; }

  // The slot in a key that held(), taking() or asked() made; 0 for any other.
  static std::uint32_t slot_of(std::string_view key);

 private:
  static std::string digits(std::uint32_t slot);
  std::string base_;
};

}  // namespace atmost::etcd

#endif
