// A lease that is held: a heartbeat in each of its files.
#ifndef ATMOST_STORE_SHARED_LEASE_H
#define ATMOST_STORE_SHARED_LEASE_H

#include <atomic>
#include <memory>
#include <vector>

#include "core/hold.h"
#include "core/result.h"
#include "store/fleet/renewal.h"
#include "worker.h"

namespace atmost::shared {

class SharedSession;
struct Core;

// The renewal's thread proves the hold; the calls on the files are made by the worker. So neither
// the supervisor nor the renewal blocks with the server.
class HeldLease final : private fleet::Renewer {
 public:
  // REQUIRES: the session's worker is idle, and its core has a lease.
  explicit HeldLease(SharedSession& session);
  HeldLease(const HeldLease&) = delete;
  HeldLease& operator=(const HeldLease&) = delete;
  ~HeldLease();

  // Proves the hold once, and begins to renew it. The lease counts from before that proof.
  Status begin();

  const HeldLock* held() const { return held_.data(); }
  Upkeep upkeep() const;
  void release(Ending ending, const Instant& now);

 private:
  fleet::Renewed renew(std::int64_t give_up_boot_ns) override;
  bool asked_to_stop(std::int64_t until_boot_ns) override;

  HeldLease(SharedSession& session, std::vector<HeldLock> held);

  SharedSession& session_;
  const std::vector<HeldLock> held_;
  std::atomic<std::uint64_t> beats_ = 0;
  std::atomic<Contest> contest_ = Contest::none;
  fleet::Renewal renewal_;
};

}  // namespace atmost::shared

#endif
