#include "store.h"

#include <vector>

#include "directory.h"
#include "os/clock.h"
#include "os/host.h"
#include "os/locks.h"
#include "session.h"
#include "store/fleet/locks.h"
#include "store/local/store.h"

namespace atmost::shared {
namespace {

// The findings of inspect(), for a visitor that may not wait as long as the job does.
struct Seen final : LockVisitor {
  explicit Seen(bool only) : only_holders(only) {}

  bool holders_only() const override { return only_holders; }
  void header(const Header& from) override { head = from; }
  void drained_slot(std::uint32_t slot) override { drained.push_back(slot); }
  void holder(const HolderView& from) override { holders.push_back(from); }
  void waiter(const WaiterView& from) override { waiters.push_back(from); }

  void tell(LockVisitor& visitor) const {
    visitor.header(head);
    for (const std::uint32_t slot : drained) visitor.drained_slot(slot);
    for (const HolderView& each : holders) visitor.holder(each);
    for (const WaiterView& each : waiters) visitor.waiter(each);
  }

  const bool only_holders;
  std::uint32_t count = 0;
  Header head;
  std::vector<std::uint32_t> drained;
  std::vector<HolderView> holders;
  std::vector<WaiterView> waiters;
};

// A request for one lock, as that of a file: its job may outlive the caller.
struct LocalRequest {
  explicit LocalRequest(const Request& from) : request(from) {
    request.across = true;
    request.trust_fs = true;
    keep_lock(from.locks[0], texts, request.locks[0]);
  }
  Request request;
  ScopedArena texts;
};

}  // namespace

Result<Store*> open_store(std::string_view url) {
  Result<std::string> directory = directory_of(url);
  if (!directory.ok()) return directory.error();
  if (!os::has_description_locks()) {
    return error_of(Code::unavailable, 0,
                    "--store shared: needs locks of open file descriptions, which this build for "
                    "POSIX alone does not have");
  }
  static std::unique_ptr<SharedStore> store;
  store = std::make_unique<SharedStore>(std::move(directory.value()));
  return store.get();
}

Status end_lease(std::string_view url, std::string_view) {
  const Result<std::string> directory = directory_of(url);
  return directory.ok() ? Status{} : Status{directory.error()};
}

Result<Owned<Session>> SharedStore::open_for(const Request& request, OpenTo how) {
  if (Status distinct = fleet::check_distinct(request); !distinct.ok()) return distinct.error();
  return Owned<Session>(new SharedSession(request, how));
}

Status SharedStore::run(std::function<Status()> job) {
  const auto answer = std::make_shared<Status>();
  const auto whole = [answer, job = std::move(job), directory = directory_] {
    *answer = check_directory(directory);
    if (answer->ok()) *answer = job();
  };
  if (worker_.run(whole, plus(os::boot_ns(), kPatience)) != Worker::Ran::done)
    return silent(directory_);
  return *answer;
}

Result<std::uint32_t> SharedStore::inspect(const LockSpec& lock, const Instant& now,
                                           LockVisitor* visitor) {
  const auto seen = std::make_shared<Seen>(visitor == nullptr || visitor->holders_only());
  Request request;
  request.locks[0] = lock;
  const auto mine = std::make_shared<const LocalRequest>(request);
  const Status done = run([seen, mine, now]() -> Status {
    const Result<std::uint32_t> count =
        local::LocalStore(true).inspect(mine->request.locks[0], now, seen.get());
    if (!count.ok()) return count.error();
    seen->count = count.value();
    return {};
  });
  if (!done.ok()) return done.error();
  if (visitor != nullptr) seen->tell(*visitor);
  return seen->count;
}

Result<std::size_t> SharedStore::list(std::string_view after, std::span<Text<255>> to) {
  struct Names {
    std::vector<Text<255>> names;
    std::size_t count = 0;
  };
  const auto found = std::make_shared<Names>();
  found->names.resize(to.size());
  const std::string last(after);
  const Status done = run([found, last, directory = directory_]() -> Status {
    const Result<std::size_t> count =
        next_names(directory.c_str(), ".lock", last, {found->names.data(), found->names.size()});
    if (!count.ok()) return count.error();
    found->count = count.value();
    return {};
  });
  if (!done.ok()) return done.error();
  for (std::size_t i = 0; i < found->count; ++i) to[i] = found->names[i];
  return found->count;
}

}  // namespace atmost::shared
