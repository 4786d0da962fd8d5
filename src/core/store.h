// Where locks are kept: a directory, an etcd prefix, a database. Store -> Session -> Lease: a store
// opens a session for a request, and an admission by a session is a lease. One contract suite
// (tests/contract/) defines the behaviour of every store.
#ifndef ATMOST_STORE_H
#define ATMOST_STORE_H

#include <cstdint>
#include <span>
#include <string_view>

#include "core/lock_visitor.h"
#include "core/request.h"
#include "core/result.h"
#include "core/session.h"
#include "core/traits.h"
#include "core/view.h"

namespace atmost {

// Keeps nothing of a request between calls. If this process dies, nothing of the store is lost.
class Store {
 public:
  virtual const StoreTraits& traits() const = 0;

  // Opens the request's locks; files that are missing are made. Borrows the request and this
  // store until the session ends. Asks nothing of a network yet.
  virtual Result<Owned<Session>> open(const Request& request) = 0;

  // Reports everything about one lock: visitor.header() once, then its holders by slot, then its
  // waiters in queue order. Creates nothing; a lock that does not exist has no holders. Returns
  // the number of holders.
  virtual Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                        LockVisitor* visitor) = 0;

  // Fills `to` with the keys of locks that come after `after`, in order, and returns how many; 0:
  // no more. Stores with paths return 0, as their locks are files.
  virtual Result<std::size_t> list(std::string_view after, std::span<Text<255>> to) {
    (void)after, (void)to;
    return std::size_t{0};
  }

  // Closes the slot of the request's first lock to newcomers (slot 0: the whole lock), or opens it
  // again. Its holders stay.
  virtual Status set_drained(const Request& request, std::uint32_t slot, bool drained) = 0;

  // Reads the statistics of the request's first lock and of its directory. Creates nothing.
  virtual Result<StatsKept> recall(const Request& request, LockStats& lock,
                                   DirectoryStats& directory) {
    (void)request, (void)lock, (void)directory;
    return StatsKept::none;
  }

  // Forgets the last admission and what was learned.
  virtual Status forget(const Request& request) = 0;

  // For Owned only.
  virtual void close() {}

 protected:
  ~Store() = default;
};

}  // namespace atmost

#endif
