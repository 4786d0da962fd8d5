// One lock, made up, and callers that ask about it: no store, no clock.
#ifndef ATMOST_TESTS_RULE_TABLE_KIT_H
#define ATMOST_TESTS_RULE_TABLE_KIT_H

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "policy/decide.h"
#include "rule/judge.h"
#include "rule/table.h"

namespace atmost::rule {

inline constexpr std::int64_t kSecond = 1'000'000'000;
inline constexpr Instant kNow = {1'700'000'000 * kSecond, 5'000 * kSecond, false};

constexpr Instant after(std::int64_t passed_ns) {
  return {kNow.real_ns + passed_ns, kNow.boot_ns + passed_ns, false};
}
constexpr Stamp seconds_ago(std::int64_t ago) { return stamp_of(after(-ago * kSecond)); }

// Defined in a file of its own, which is compiled like the rule, without type information.
class TestFacts final : public TableFacts {
 public:
  void break_down();
  bool ancestor() override;
  bool has_bell(std::uint64_t ticket) override;
  Flock flock() override;

  bool own_tree = false;
  std::uint64_t bell = 0;
  Flock flocked = Flock::none;
};

class TestLock {
 public:
  State state;
  std::vector<HolderView> holders;
  bool writer = false;
  std::vector<std::uint32_t> drained;
  std::vector<std::uint32_t> taken_over;
  std::vector<Table::Queued> places;
  std::vector<Stamp> ring;
  std::optional<Foreign> foreign;
  TestFacts facts;

  void hold(std::initializer_list<std::uint32_t> slots) {
    for (const std::uint32_t slot : slots) {
      HolderView holder;
      holder.slot = slot;
      holders.push_back(holder);
    }
  }
  Waiter& wait(std::uint64_t ticket, Queue queue, std::uint32_t take = 1) {
    Table::Queued place;
    place.waiter.ticket = ticket;
    place.waiter.take = take;
    place.queue = queue;
    places.push_back(place);
    return places.back().waiter;
  }

  void look(const Asker& asker) {
    Table table;
    table.state = state;
    table.holders = holders;
    table.writer = writer;
    table.drained = drained;
    table.taken_over = taken_over;
    table.places = places;
    table.ring = ring;
    table.foreign_found = foreign.has_value();
    if (foreign) table.foreign = *foreign;
    facts.set(asker, table);
  }
  // Writes the result of the last look, except the holders.
  void apply(const Instant& now) {
    for (Table::Queued& each : places) {
      if (each.noted) each.waiter.turn_boot_ns = each.noted_boot_ns;
    }
    const LockPlan& plan = facts.plan;
    if (plan.mends) {
      for (Stamp& each : ring) (void)mended(each, now);
    }
    ring.insert(ring.end(), plan.appended, plan.appended + plan.appended_count);
    if (plan.changed) state = plan.state;
  }
};

}  // namespace atmost::rule

#endif
