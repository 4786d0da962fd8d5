// Callers that wait for one another for ever: a hold whose processes all wait, or wait for one that
// does, ends only when another such hold has ended. Pure: the facts were read elsewhere.
#ifndef ATMOST_POLICY_CIRCLE_H
#define ATMOST_POLICY_CIRCLE_H

#include <cstdint>
#include <span>

#include "core/request.h"
#include "core/time.h"

namespace atmost::policy {

inline constexpr std::int32_t kNobody = -1;

// A process in the tree of a hold. Neither a waiter nor resting: it is at work, or may be.
struct TreeProcess {
  std::int32_t parent = kNobody;  // an index, smaller or greater; kNobody: not below another one
  std::int32_t waiter = kNobody;  // an index; kNobody: it does not wait for a lock
  bool rests = false;             // it waits for its children and does nothing else
};

struct TreeHold {
  std::uint32_t lock = 0;
  std::int32_t root = kNobody;                     // a process; kNobody: it cannot be seen
  std::int64_t since_boot_ns = 0;                  // for the expiries of waiters
  std::int64_t ends_boot_ns = Duration::kForever;  // when its --max-runtime ends it
};

struct TreeWaiter {
  std::uint32_t lock = 0;
  std::uint32_t queue = 0;  // waiters of one lock and queue are served by ticket
  std::uint64_t ticket = 0;
  std::int64_t since_boot_ns = 0;  // when it drew the ticket
  std::int64_t pid = 0;
  // The slots that others hold leave too few for it; else it waits for a waiter in front.
  bool no_room = false;
  bool leaves = true;  // it looks for circles, and leaves one that it closed
  bool claims = true;  // it waits for this lock, and not for another one or a moment
  Duration expire_after = Duration::forever();  // it stops holders that are older
};

inline constexpr std::uint32_t kMostTreeProcesses = 512;
inline constexpr std::uint32_t kMostTreeHolds = 64;
inline constexpr std::uint32_t kMostTreeWaiters = 128;

struct CircleFacts {
  std::span<const TreeProcess> processes;
  std::span<const TreeHold> holds;
  std::span<const TreeWaiter> waiters;
};

// The holds and waiters that can go on only when another one of them has: each has true.
struct Stuck {
  bool holds[kMostTreeHolds];
  bool waiters[kMostTreeWaiters];
};
void find_stuck(const CircleFacts& facts, Stuck& to);

// True if the processes from `process` upwards include the root of the hold.
bool is_in_tree(const CircleFacts& facts, std::int32_t process, const TreeHold& hold);

// True if waiter `self` is the one to refuse: it is in a circle, all that it waits for wait for it,
// too, it drew its ticket last, and no expiry or --max-runtime ends the circle before
// `until_boot_ns`. `circle`: the members, whatever the answer.
bool has_to_leave(const CircleFacts& facts, std::uint32_t self, std::int64_t until_boot_ns,
                  Stuck& circle);

}  // namespace atmost::policy

#endif
