#include "circle.h"

namespace atmost::policy {
namespace {

bool is_around(const CircleFacts& facts, const TreeHold& hold, std::uint32_t waiter) {
  for (std::size_t i = 0; i < facts.processes.size(); ++i) {
    if (facts.processes[i].waiter == static_cast<std::int32_t>(waiter) &&
        is_in_tree(facts, static_cast<std::int32_t>(i), hold))
      return true;
  }
  return false;
}

bool is_inside(const CircleFacts& facts, const Stuck& circle, std::uint32_t waiter) {
  for (std::size_t i = 0; i < facts.holds.size(); ++i) {
    if (circle.holds[i] && is_around(facts, facts.holds[i], waiter)) return true;
  }
  return false;
}

// The waits among those that are stuck.
class Waits {
 public:
  Waits(const CircleFacts& facts, const Stuck& stuck) : facts_(facts), stuck_(stuck) {}

  // The members that waiter `from` waits for, and what those wait for; with itself if it is among
  // them.
  void reach_from(std::uint32_t from, Stuck& to) const {
    to = {};
    follow(from, to);
    for (bool grows = true; grows;) {
      grows = false;
      for (std::uint32_t i = 0; i < facts_.waiters.size(); ++i) {
        if (!to.waiters[i] && is_inside(facts_, to, i)) grows = to.waiters[i] = true;
        if (to.waiters[i]) grows = follow(i, to) || grows;
      }
    }
  }

 private:
  // Adds the holds that could let it in, and waiters in front of it that have to go first.
  bool follow(std::uint32_t waiter, Stuck& to) const {
    bool added = false;
    const TreeWaiter& from = facts_.waiters[waiter];
    for (std::uint32_t i = 0; i < facts_.holds.size(); ++i) {
      if (facts_.holds[i].lock != from.lock || to.holds[i]) continue;
      added = to.holds[i] = true;
    }
    for (std::uint32_t i = 0; i < facts_.waiters.size() && !from.no_room; ++i) {
      const TreeWaiter& ahead = facts_.waiters[i];
      const bool front = ahead.lock == from.lock && ahead.queue == from.queue &&
                         ahead.ticket < from.ticket && stuck_.waiters[i];
      if (front && !to.waiters[i]) added = to.waiters[i] = true;
    }
    return added;
  }

  const CircleFacts& facts_;
  const Stuck& stuck_;
};

bool has_waiter_below(const CircleFacts& facts, std::int32_t process) {
  for (const TreeProcess& each : facts.processes) {
    if (each.waiter == kNobody) continue;
    std::int32_t at = each.parent;
    for (std::size_t depth = 0; at != kNobody && depth < facts.processes.size(); ++depth) {
      if (at == process) return true;
      at = facts.processes[static_cast<std::size_t>(at)].parent;
    }
  }
  return false;
}

bool hold_is_stuck(const CircleFacts& facts, const TreeHold& hold, const Stuck& stuck) {
  if (hold.root == kNobody) return false;
  for (std::size_t i = 0; i < facts.processes.size(); ++i) {
    const auto index = static_cast<std::int32_t>(i);
    const TreeProcess& process = facts.processes[i];
    if (!is_in_tree(facts, index, hold)) continue;
    const bool waits = process.waiter != kNobody && stuck.waiters[process.waiter];
    if (!waits && !(process.waiter == kNobody && process.rests && has_waiter_below(facts, index)))
      return false;
  }
  return true;
}

bool waiter_is_stuck(const CircleFacts& facts, const TreeWaiter& waiter, const Stuck& stuck) {
  bool blocked = waiter.no_room;
  bool any = false;
  for (std::size_t i = 0; i < facts.holds.size(); ++i) {
    if (facts.holds[i].lock != waiter.lock) continue;
    if (!stuck.holds[i]) return false;
    any = true;
  }
  for (std::size_t i = 0; i < facts.waiters.size() && !blocked; ++i) {
    const TreeWaiter& ahead = facts.waiters[i];
    blocked = ahead.lock == waiter.lock && ahead.queue == waiter.queue &&
              ahead.ticket < waiter.ticket && stuck.waiters[i];
  }
  return waiter.claims && any && blocked;
}

bool ends_before(const CircleFacts& facts, const Stuck& circle, std::int64_t until_boot_ns) {
  for (std::size_t i = 0; i < facts.holds.size(); ++i) {
    const TreeHold& hold = facts.holds[i];
    if (!circle.holds[i]) continue;
    if (hold.ends_boot_ns < until_boot_ns) return true;
    // No waiter stops a hold around itself.
    for (std::uint32_t w = 0; w < facts.waiters.size(); ++w) {
      const TreeWaiter& waiter = facts.waiters[w];
      if (waiter.lock == hold.lock && !is_around(facts, hold, w) &&
          plus(hold.since_boot_ns, waiter.expire_after) < until_boot_ns)
        return true;
    }
  }
  return false;
}

}  // namespace

bool is_in_tree(const CircleFacts& facts, std::int32_t process, const TreeHold& hold) {
  // Parents that were read at different moments may form a ring.
  for (std::size_t depth = 0; process != kNobody && depth <= facts.processes.size(); ++depth) {
    if (process == hold.root) return true;
    process = facts.processes[static_cast<std::size_t>(process)].parent;
  }
  return false;
}

void find_stuck(const CircleFacts& facts, Stuck& to) {
  to = {};
  for (std::size_t i = 0; i < facts.holds.size(); ++i) to.holds[i] = true;
  for (std::size_t i = 0; i < facts.waiters.size(); ++i) to.waiters[i] = true;
  for (bool shrinks = true; shrinks;) {
    shrinks = false;
    for (std::size_t i = 0; i < facts.holds.size(); ++i) {
      if (!to.holds[i] || hold_is_stuck(facts, facts.holds[i], to)) continue;
      to.holds[i] = false;
      shrinks = true;
    }
    for (std::size_t i = 0; i < facts.waiters.size(); ++i) {
      if (!to.waiters[i] || waiter_is_stuck(facts, facts.waiters[i], to)) continue;
      to.waiters[i] = false;
      shrinks = true;
    }
  }
}

bool has_to_leave(const CircleFacts& facts, std::uint32_t self, std::int64_t until_boot_ns,
                  Stuck& circle) {
  Stuck stuck;
  find_stuck(facts, stuck);
  circle = {};
  if (!stuck.waiters[self]) return false;
  const Waits waits(facts, stuck);
  waits.reach_from(self, circle);
  const TreeWaiter& own = facts.waiters[self];
  for (std::uint32_t i = 0; i < facts.waiters.size(); ++i) {
    if (!circle.waiters[i] || i == self) continue;
    const TreeWaiter& other = facts.waiters[i];
    const bool later = other.since_boot_ns > own.since_boot_ns ||
                       (other.since_boot_ns == own.since_boot_ns && other.pid > own.pid);
    // The refusal of a waiter around which no hold of the circle is would not help; a program that
    // uses the library does not look.
    if (later && other.leaves && is_inside(facts, circle, i)) return false;
    Stuck back;
    waits.reach_from(i, back);
    if (!back.waiters[self]) return false;
  }
  return circle.waiters[self] && !ends_before(facts, circle, until_boot_ns);
}

}  // namespace atmost::policy
