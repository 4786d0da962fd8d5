// Locks in a directory that several machines share (docs/fleet-shared.md).
#ifndef ATMOST_STORE_SHARED_STORE_H
#define ATMOST_STORE_SHARED_STORE_H

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/schemes.h"
#include "core/store.h"
#include "worker.h"

namespace atmost::shared {

// Not thread-safe. No call blocks for more than ten seconds when the server hangs; then it fails
// (unavailable).
class SharedStore final : public Store {
 public:
  explicit SharedStore(std::string directory)
      : Store(traits_of("shared")), directory_(std::move(directory)) {}
  SharedStore(const SharedStore&) = delete;
  SharedStore& operator=(const SharedStore&) = delete;

  Result<Owned<Session>> open_for(const Request& request, OpenTo how) override;
  Result<std::uint32_t> inspect(const LockSpec& lock, const Instant& now,
                                LockVisitor* visitor) override;
  Result<std::size_t> list(std::string_view after, std::span<Text<255>> to) override;

 private:
  // Checks the directory, then runs the job; both where they may hang.
  Status run(std::function<Status()> job);

  const std::string directory_;
  Worker worker_;
};

// The store that the URL names (shared:/DIRECTORY). Asks nothing of the network yet.
Result<Store*> open_store(std::string_view url);

// As StoreService defines it (core/limiter.h). There is nothing to end: the kernel frees the slots
// when no process is left that has their descriptors.
Status end_lease(std::string_view url, std::string_view name);
Result<Code> diagnose(std::string_view url, int fd, bool json);

}  // namespace atmost::shared

#endif
