#include "entries.h"

#include "os/clock.h"
#include "store/local/store.h"
#include "store/symlink/store.h"

namespace atmost::limiter {
namespace {

constexpr double kNsPerSecond = 1e9;

bool is_stopped(char process_state) { return process_state == 'T' || process_state == 't'; }

class Entries final : public LockVisitor {
 public:
  Entries(int (*each)(void*, const atmost_entry*), void* context, const Instant& now)
      : each_(each), context_(context), now_(now) {}

  void header(const Header& header) override {
    if (header.drained) drained_slot(0);
  }
  void drained_slot(std::uint32_t slot) override {
    atmost_entry entry = fresh("drained");
    entry.slot = slot;
    entry.verified = 1;
    show(entry);
  }
  void holder(const HolderView& holder) override {
    atmost_entry entry = fresh(holder.read_locked                 ? "read-locked"
                               : holder.foreign_lock              ? "foreign"
                               : is_stopped(holder.process_state) ? "stopped"
                               : holder.kept_for != 0             ? "kept"
                                                                  : "held");
    entry.slot = holder.slot;
    entry.pid = holder.pid;
    entry.kept_for = holder.kept_for;
    entry.user = holder.has_record ? static_cast<std::int64_t>(holder.uid) : -1;
    entry.token = holder.token;
    entry.id = holder.id.c_str();
    entry.command = holder.command.c_str();
    entry.verified = holder.verified ? 1 : 0;
    set_times(entry, holder.start, holder.expire_after);
    show(entry);
  }
  void waiter(const WaiterView& waiter) override {
    position_ = waiter.max == queue_max_ ? position_ + 1 : 1;  // queues come one after another
    queue_max_ = waiter.max;
    atmost_entry entry = fresh("waiting");
    entry.position = position_;
    entry.max = waiter.max;
    entry.pid = waiter.pid;
    entry.user = waiter.pid > 0 ? static_cast<std::int64_t>(waiter.uid) : -1;
    entry.id = waiter.id.c_str();
    entry.command = waiter.command.c_str();
    set_times(entry, waiter.start, Duration::forever());
    show(entry);
  }

 private:
  static atmost_entry fresh(const char* state) {
    atmost_entry entry = {};
    entry.size = sizeof entry;
    entry.state = state;
    entry.user = -1;
    entry.id = entry.command = "";
    entry.start = entry.age = -1;
    entry.expires = __builtin_inf();
    return entry;
  }
  void set_times(atmost_entry& entry, const Stamp& start, Duration expire_after) const {
    if (!start.known) return;
    const std::int64_t age = age_ns(start, now_);
    entry.start = static_cast<double>(start.real_ns) / kNsPerSecond;
    entry.age = static_cast<double>(age < 0 ? 0 : age) / kNsPerSecond;
    if (!expire_after.is_forever())
      entry.expires = static_cast<double>(expire_after.ns - age) / kNsPerSecond;
  }
  void show(const atmost_entry& entry) {
    if (!enough_) enough_ = each_(context_, &entry) != 0;
  }

  int (*each_)(void*, const atmost_entry*);
  void* context_;
  const Instant& now_;
  std::uint32_t queue_max_ = 0;
  std::uint32_t position_ = 0;
  bool enough_ = false;
};

Result<std::uint32_t> inspect(const Scheme& scheme, const LockSpec& lock, const Instant& now,
                              LockVisitor* visitor) {
  if (scheme.traits.inheritable) {
    local::LocalStore files;
    return files.inspect(lock, now, visitor);
  }
  symlink::SymlinkStore links;
  return links.inspect(lock, now, visitor);
}

}  // namespace

Status show_entries(const Scheme& scheme, const LockSpec& lock,
                    int (*each)(void* context, const atmost_entry* entry), void* context) {
  const Instant now = os::now();
  Entries entries(each, context, now);
  const Result<std::uint32_t> held = inspect(scheme, lock, now, &entries);
  return held.ok() ? Status{} : Status{held.error()};
}

Result<std::uint32_t> count_holders(const Scheme& scheme, const LockSpec& lock) {
  return inspect(scheme, lock, os::now(), nullptr);
}

}  // namespace atmost::limiter
