// A lease that is held: its rows, and the connection on which they are renewed.
#ifndef ATMOST_STORE_POSTGRES_LEASE_H
#define ATMOST_STORE_POSTGRES_LEASE_H

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "connection.h"
#include "core/hold.h"
#include "other_hosts.h"
#include "rule/state.h"
#include "statements.h"
#include "store/fleet/renewal.h"

namespace atmost::postgres {

class PostgresSession;

// The rows of one lock.
struct HeldRows {
  std::string key;
  rule::Held held;
};

// Frees the slots; returns them.
Statement drop_rows(const HeldRows& one);
// Renews them, unless a stop was requested. Returns slot and asked of each.
Statement renew_rows(const HeldRows& one, Duration ttl);

// The connection belongs to the lease while it lasts, and only the renewal's thread uses it.
class HeldLease final : private fleet::Renewer {
 public:
  // `rows` and `held` in the request's order.
  HeldLease(PostgresSession& session, std::unique_ptr<Connection> connection,
            std::vector<HeldRows> rows, std::vector<HeldLock> held, Duration ttl);
  HeldLease(const HeldLease&) = delete;
  HeldLease& operator=(const HeldLease&) = delete;
  ~HeldLease();

  // 0 or an errno value.
  int start(std::int64_t sent_boot_ns, Duration pause, Duration reserve);

  const std::vector<HeldRows>& rows() const { return rows_; }
  const HeldLock* held() const { return held_.data(); }
  Upkeep upkeep() const { return renewal_.upkeep(); }
  // Ends with the lease: until when the slots stay held all the same, because the server did not
  // answer; 0: they are free.
  std::int64_t release(Ending ending, const Instant& now);

 private:
  fleet::Renewed renew(std::int64_t give_up_boot_ns) override;
  bool asked_to_stop(std::int64_t until_boot_ns) override;
  bool doubts() override { return std::exchange(news_, false); }

  // Stops renewing, at once; returns the connection, perhaps closed.
  std::unique_ptr<Connection> stop();
  std::vector<HeldRows> sorted_rows() const;
  void give_back(Connection& connection, Ending ending, const Instant& now,
                 std::int64_t deadline_boot_ns) const;
  void look_at_hosts();
  bool overtaken(std::int64_t give_up_boot_ns);
  bool told_to_stop();
  bool news(std::int64_t until_boot_ns);

  PostgresSession& session_;
  std::unique_ptr<Connection> connection_;
  const std::vector<HeldLock> held_;
  const std::vector<HeldRows> rows_;
  const Duration ttl_;
  bool news_ = false;               // another caller asks whether we still run: a renewal answers
  std::shared_ptr<HostLook> look_;  // under way, or ended since the last renewal
  fleet::Renewal renewal_;
};

}  // namespace atmost::postgres

#endif
