// Where locks are kept: a directory, an etcd prefix, a database. Store -> Session -> Lease: a store
// opens a session for a request, and an admission by a session is a lease. One contract suite
// (tests/contract/) defines the behaviour of every store.
#ifndef ATMOST_STORE_H
#define ATMOST_STORE_H

#include <cstdint>
#include <span>
#include <string_view>

#include "core/request.h"
#include "core/result.h"
#include "core/schemes.h"
#include "core/session.h"
#include "core/view.h"

namespace atmost {

// The files of locks that do not exist: made; not made; and those that exist are only read.
enum class OpenTo : std::uint8_t { make, change, look };

// Keeps nothing of a request between calls. If this process dies, nothing of the store is lost.
class Store {
 public:
  const StoreTraits& traits() const { return traits_; }

  // Opens the request's locks. Borrows the request and this store until the session ends. Asks
  // nothing of a network yet. Of a session that is not opened to make, only edit() is called.
  virtual Result<Owned<Session>> open_for(const Request& request, OpenTo how) = 0;
  Result<Owned<Session>> open(const Request& request) { return open_for(request, OpenTo::make); }

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

  // Edits of the request's first lock. To drain one that does not exist makes it, which closes a
  // lock before its first use.
  Status set_drained(const Request& request, std::uint32_t slot, bool drained);
  Status forget(const Request& request);
  // Makes the lock unless the change clears its limit.
  Status set_limit(const Request& request, const LimitChange& change);
  Result<StatsKept> recall(const Request& request, LockStats& lock, DirectoryStats& directory);

 protected:
  explicit constexpr Store(const StoreTraits& traits) : traits_(traits) {}
  ~Store() = default;

 private:
  Result<Edited> edit(const Request& request, OpenTo how, const Edit& edit) {
    Result<Owned<Session>> session = open_for(request, how);
    return session.ok() ? session.value()->edit(0, edit) : session.error();
  }

  const StoreTraits& traits_;
};

inline Status Store::set_drained(const Request& request, std::uint32_t slot, bool drained) {
  if (slot > kMaxSlots) return error_of(Code::usage, 0, "no such slot: at most 262144");
  const Result<Edited> done =
      edit(request, drained ? OpenTo::make : OpenTo::change,
           {.what = drained ? Edit::What::drain : Edit::What::resume, .slot = slot});
  return done.ok() ? Status{} : done.error();
}

inline Status Store::set_limit(const Request& request, const LimitChange& change) {
  const bool clears = change.clears && change.max == 0 && !change.names_given;
  const Result<Edited> done =
      edit(request, clears && change.rate_count == 0 ? OpenTo::change : OpenTo::make,
           {.what = Edit::What::limit, .limit = &change});
  return done.ok() ? Status{} : done.error();
}

inline Status Store::forget(const Request& request) {
  const Result<Edited> done = edit(request, OpenTo::change, {.what = Edit::What::forget});
  return done.ok() ? Status{} : done.error();
}

inline Result<StatsKept> Store::recall(const Request& request, LockStats& lock,
                                       DirectoryStats& directory) {
  lock = {};
  directory = {};
  const Result<Edited> done = edit(
      request, OpenTo::look, {.what = Edit::What::recall, .lock = &lock, .directory = &directory});
  return done.ok() ? Result<StatsKept>(done.value().kept) : done.error();
}

}  // namespace atmost

#endif
