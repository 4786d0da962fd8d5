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

// The result of a transaction that writes.
struct Written {
  // done: applied. outdated: a comparison failed. Neither: etcd refused, or the result is unknown.
  bool done() const { return answer.kind == Answer::Kind::good && reply.succeeded; }
  bool outdated() const { return answer.kind == Answer::Kind::good && !reply.succeeded; }
  bool unknown() const { return answer.kind == Answer::Kind::unknown; }
  // Of the write; 0: none.
  std::uint64_t revision() const { return done() ? reply.header.revision : 0; }

  Answer answer;   // if neither: the reason
  TxnReply reply;  // if done or outdated: etcd's reply
};

// Borrows its gateway. Each call blocks until the answer, at most until the moment that is given
// (CLOCK_BOOTTIME). An Error: no answer, or etcd refused.
class Transactions {
 public:
  explicit Transactions(Gateway& gateway) : gateway_(gateway) {}

  // The moment at which a request that is made now is given up.
  std::int64_t give_up() const;

  Result<TxnReply> read(const Txn& txn, std::int64_t give_up_boot_ns);
  // `repeat`: it may be done twice. Makes the hint lease if etcd misses it.
  Written write(const Txn& txn, std::int64_t give_up_boot_ns,
                Gateway::Repeat repeat = Gateway::Repeat::no);

  // The values of keys as they were read, in their order; empty: there is no such key.
  using Found = std::vector<std::optional<KeyValue>>;
  // Reads the keys, and writes what `how` adds to the transaction if none of them has changed
  // since; otherwise both are repeated, a few times. If `how` returns false, nothing is written,
  // which is not an error. `what` begins the error's message.
  Status change(const std::vector<std::string>& keys, std::string_view what,
                std::int64_t give_up_boot_ns, const std::function<bool(const Found&, Txn&)>& how);

  // The number of the lease of the keys that outlive their lock's holders.
  //
  // The last admission and the last ends are for people, and for --if-elapsed inf of callers that
  // come soon; refusals in a row and forgotten admissions mean something only beside them. All of
  // it lies under a lease of a day; otherwise locks whose names are unbounded (one for each file,
  // say) would fill etcd up. Callers share that lease instead of asking for one each: its number
  // follows from the prefix and the time of day in steps of ten minutes. A caller whose clock is
  // wrong uses another such lease, which works, too.
  //
  // Intervals have leases of their own; tokens are revisions, which need no key.
  std::int64_t hint_lease() const;

  // A new lease, which is not renewed.
  Result<std::int64_t> grant(std::int64_t seconds, std::int64_t give_up_boot_ns);
  // The time left of a lease, by the leader's clock. `what` begins the error's message.
  Result<LeaseReply> time_to_live(std::int64_t lease, std::string_view what,
                                  std::int64_t give_up_boot_ns);

 private:
  bool make_hint_lease(std::int64_t give_up_boot_ns);

  Gateway& gateway_;
};

}  // namespace atmost::etcd

#endif
