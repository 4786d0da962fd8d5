// Locks in etcd, through its JSON gateway: with our own transactions, never /v3/lock (docs/fleet.md
// describes the keys).
//
// Everything a caller writes for itself lies under one lease, which a thread renews. When its
// process or its machine dies, or the connection to etcd is lost, the lease ends within its ttl
// (plus what a change of etcd's leader adds), and with it the caller's slots and its place in the
// queue.
//
// Fail closed: an admission is a transaction that etcd applies only if the slots are free and
// nothing was admitted, drained or taken over since the state that the decision saw. That state is
// one answer, of a majority or of one member: if it is wrong or late, etcd refuses. An admission is
// believed once our keys were read after it. That read is part of the same transaction: etcd
// guarantees that our lease is alive there, and that the keys are there under it, at the very
// revision that is our token; a separate read would only show them a moment later. The time for
// which they are ours from then on follows from the moment when the last renewal was sent, and is
// checked last. An admission whose answer was lost or cannot be believed is settled by reading all
// anew.
//
// While a caller waits, its renewals have to be answered (own_lease.cc). When one is overdue, the
// caller makes a request that only a majority can answer; if no member answers it within the
// timeout, the wait ends: Code::unavailable.
#ifndef ATMOST_STORE_ETCD_STORE_H
#define ATMOST_STORE_ETCD_STORE_H

#include <string_view>

#include "access.h"
#include "core/schemes.h"
#include "core/store.h"
#include "gateway.h"
#include "transactions.h"

namespace atmost::etcd {

// A prefix of etcd's keys. When etcd does not answer, each call
// returns after the timeout of its Access, those of sessions too. Single-threaded callers; its
// sessions may be used by threads of their own.
class EtcdStore final : public Store {
 public:
  // `alone`: its session is the only one of the process, and may handle the signals that end it: a
  // waiter that receives one first gives its place up.
  // Its last admission is not known by the caller's clock, because etcd itself measures intervals.
  EtcdStore(const Access& access, bool alone)
      : Store(traits_of("etcd")), access_(access), alone_(alone) {}

  Result<Owned<Session>> open_for(const Request& request, OpenTo how) override;
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override;
  Result<std::size_t> list(std::string_view after, std::span<Text<255>> to) override;

 private:
  const Access access_;
  const bool alone_;
  ClusterHistory history_;
  Gateway gateway_{access_, history_};  // for this class; sessions have their own
  Transactions transactions_{gateway_};
};

// The store that etcd://HOST:PORT[,HOST:PORT...]/PREFIX names, for a program that opens one session
// at a time and lets it handle its signals while it waits (EtcdStore). Asks nothing of the network
// yet. Removes the secrets from the environment (access.h), so they can be read once. Errors
// (usage) do not repeat the URL.
Result<Store*> open_store(std::string_view url);

// Ends the lease that Session::lease_name() of another process of this store named, with all that
// lies under it, and notifies the next waiter. Also ok when the lease no longer exists. Blocks for
// at most the timeout of one question. REQUIRES: that process is dead, and nothing that it started
// under the lease still runs.
Status end_lease(std::string_view url, std::string_view name);

// Examines the store and writes its condition to `fd`, one line a finding. ok for yes; else the
// error that a caller would get: unavailable, or not_permitted.
Result<Code> diagnose(std::string_view url, int fd, bool json);

}  // namespace atmost::etcd

#endif
