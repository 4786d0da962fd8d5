// A lease under way: its rows, and the connection on which they are renewed.
#ifndef ATMOST_STORE_POSTGRES_HOLD_H
#define ATMOST_STORE_POSTGRES_HOLD_H

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/lease.h"
#include "link.h"
#include "store/fleet/renewal.h"

namespace atmost::postgres {

struct HeldRows {
  std::string key;
  HeldLock held;
};

// Gives the slots up; as `ending` says, with a finish.
Statement let_go(const HeldRows& one, Ending ending, const Instant& now, const std::string& clock);
// Renews them, unless that is not wanted any more. Answers slot and asked of each.
Statement renew_rows(const HeldRows& one, Duration ttl);

// The connection is the hold's while it lasts, and the renewal's thread alone uses it. stop() ends
// that.
class Hold final : public fleet::Keeper {
 public:
  // `locks` in the request's order.
  Hold(std::unique_ptr<Link> link, std::vector<HeldRows> locks, Duration ttl);
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold();

  // 0 or an errno value.
  int start(std::int64_t sent_boot_ns, Duration pause);
  // Renews no more, at once; gives the connection back, perhaps closed.
  std::unique_ptr<Link> stop();

  Upkeep upkeep() const { return renewal_.upkeep(); }
  const std::vector<HeldRows>& locks() const { return locks_; }

  fleet::Renewed renew(std::int64_t give_up_boot_ns) override;
  bool asked_to_stop(std::int64_t until_boot_ns) override;
  bool doubts() override { return std::exchange(news_, false); }
  void wake() override;

 private:
  bool told_to_stop();
  bool news(std::int64_t until_boot_ns);

  std::unique_ptr<Link> link_;
  const std::vector<HeldRows> locks_;
  const Duration ttl_;
  bool news_ = false;  // somebody asks whether we are there: a renewal says so
  int bell_ = -1;      // an eventfd: wake()
  fleet::Renewal renewal_;
};

}  // namespace atmost::postgres

#endif
