// Requests to etcd with a deadline, and their results.
#ifndef ATMOST_STORE_ETCD_TRANSACTIONS_H
#define ATMOST_STORE_ETCD_TRANSACTIONS_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "gateway.h"
#include "wire.h"

namespace atmost::etcd {

// True if a transaction that writes was applied.
enum class Applied : std::uint8_t { yes, no, unknown };

// Borrows its gateway. Each call blocks until the answer, at most until the moment that is given
// (CLOCK_BOOTTIME). An Error: no answer, or etcd refused.
class Transactions {
 public:
  explicit Transactions(Gateway& gateway) : gateway_(gateway) {}

  // When a request that is made now is given up.
  std::int64_t give_up() const;

  Result<TxnReply> read(const Txn& txn, std::int64_t give_up_boot_ns);
  // yes, or no when a comparison failed: `reply` is etcd's. Otherwise `answer` has the reason.
  // `repeat`: it may be done twice. Makes the hint lease if etcd misses it.
  Applied write(const Txn& txn, std::int64_t give_up_boot_ns, TxnReply& reply, Answer& answer,
                Gateway::Repeat repeat = Gateway::Repeat::no);

  // The revision of the write; 0: it was not applied, or that is not known.
  std::uint64_t write(const Txn& txn, std::int64_t give_up_boot_ns,
                      Gateway::Repeat repeat = Gateway::Repeat::no);

  // The values of keys as they were read, in their order; empty: there is no such key.
  using Found = std::vector<std::optional<KeyValue>>;
  // Reads the keys and writes what `how` adds to the transaction, unless one of them has changed
  // since: then again, a few times. `how` answers false: nothing is written, which is not an error.
  // `what` begins the error's message.
  Status change(const std::vector<std::string>& keys, std::string_view what,
                std::int64_t give_up_boot_ns, const std::function<bool(const Found&, Txn&)>& how);

  // A new lease, which is not renewed.
  Result<std::int64_t> grant(std::int64_t seconds, std::int64_t give_up_boot_ns);
  // The time left of a lease, by the leader's clock. `what` begins the error's message.
  Result<LeaseReply> time_to_live(std::int64_t lease, std::string_view what,
                                  std::int64_t give_up_boot_ns);

 private:
  Gateway& gateway_;
};

}  // namespace atmost::etcd

#endif
