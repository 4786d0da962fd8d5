// One answer of judge(), held against what has to be true of it. Written from the promises to users
// (docs/internals/lock-map.md), not from the rule.
#ifndef ATMOST_TESTS_RULE_ORACLE_H
#define ATMOST_TESTS_RULE_ORACLE_H

#include <optional>

#include "table_kit.h"

namespace atmost::rule {

class Oracle {
 public:
  // Borrows all of it. `queue` null: the caller will not wait.
  Oracle(TestLock& lock, const Request& request, const Ticket* queue);

  // Asks once and, if others have a turn, again until it is over. Leaves the lock as it was. Null:
  // all is true; else the promise that is broken.
  const char* check();

  bool admitted() const { return admitted_; }
  bool owed() const { return owed_; }
  void print(const char* fault) const;

 private:
  void ask(const Instant& now);
  const char* check_answer() const;
  const char* check_admission() const;
  const char* check_refusal() const;
  const char* check_notes() const;
  const char* check_delay();

  bool has_room() const { return fits(spec_.take, spec_.mode == Mode::exclusive); }
  bool fits(std::uint32_t count, bool alone) const;
  bool is_closed(std::uint32_t slot) const;
  bool is_too_soon() const;
  bool is_in_front(const Table::Queued& place) const;
  bool claims(const Waiter& waiter) const;
  bool could_come(const Waiter& waiter) const;
  bool follows_a_rate(const Table::Queued& place) const;
  bool turn_ended(const Waiter& waiter) const;
  bool follows_an_ended_turn(const Table::Queued& place) const;
  bool somebody_cannot_come() const;

  TestLock& lock_;
  const Request& request_;
  const LockSpec& spec_;
  const Ticket* const queue_;
  const std::uint64_t ticket_;
  Instant now_ = kNow;
  Decision decision_;
  std::optional<Plan> plan_;
  bool admitted_ = false;
  bool owed_ = false;
};

}  // namespace atmost::rule

#endif
