// Finds out if holds around this process fill the lock (docs/internals/lock-map.md, "Nested
// callers"): then it would wait for itself.
#include "listing.h"
#include "os/locks.h"
#include "os/process.h"
#include "os/self.h"
#include "slots.h"

namespace atmost::local {
namespace {

// The most holds that are looked at; a caller that needs more waits as if none were around it.
constexpr std::uint32_t kMostLookedAt = 256;

// Sees whether a process has a lock on any slot.
class AnySlot final : public os::LockLineVisitor {
 public:
  void lock(const os::LockLine& line) override {
    any = any || (line.write && line.start <= slot_byte(kMaxSlots) && line.end >= kFirstSlotByte);
  }
  bool any = false;
};

class Around {
 public:
  Around(const LockFile& file, const Request& request) : file_(file), request_(request) {
    AnySlot own;
    const Identity& identity = file.identity();
    (void)os::each_lock(os::process_id(), identity.device, identity.inode, own);
    inherits_ = own.any;
  }

  bool has(const HeldSlots& held) const {
    Record record;
    const bool known = read_record(file_.fd(), held.first, record) && record.pid > 1;
    if (known && file_.identity().across && record.boot != file_.identity().boot) return false;
    const auto kind = static_cast<HolderKind>(known ? record.kind : 0);
    if (known && kind == HolderKind::keeper) return is_kept_around(held.first, record);
    // A program that uses the library may give its slot back while it runs.
    if (known && kind == HolderKind::library) return false;
    // An inherited descriptor counts here; another session of this process does not, of which a
    // program that uses the library, or a file of several machines, may have several.
    const bool several = request_.kind == HolderKind::library || file_.identity().across;
    const bool other = known ? record.pid != os::process_id() : !several;
    const bool inherited = request_.nested || other;
    if (inherited && inherits_ && holds(os::process_id(), held.first)) return true;
    if (!known && held.pid <= 0) return any_ancestor_holds(held.first);
    const std::int64_t pid = held.pid > 0 ? held.pid : record.pid;
    // Records may be older than the hold. Another user's locks cannot be seen.
    return pid > 1 && ancestors_.have(pid) &&
           (held.pid > 0 || os::holds_byte(pid, file_.identity().device, file_.identity().inode,
                                           slot_byte(held.first)) != os::Holding::no);
  }

 private:
  bool holds(std::int64_t pid, std::uint32_t slot) const {
    const Identity& identity = file_.identity();
    return os::holds_byte(pid, identity.device, identity.inode, slot_byte(slot)) ==
           os::Holding::yes;
  }

  // Without a record, all of them are looked at.
  bool any_ancestor_holds(std::uint32_t slot) const {
    constexpr int kMostGenerations = 64;
    os::ProcessFacts facts;
    std::int64_t pid = os::process_id();
    for (int i = 0; i < kMostGenerations && os::process_facts(pid, facts) == 0; ++i) {
      pid = facts.parent;
      if (pid <= 1) break;
      if (holds(pid, slot)) return true;
    }
    return false;
  }

  // A keeper is not an ancestor; the process for which it holds the slot may be. For another keeper
  // only the same process counts: a script's child may wait until the script releases the lock.
  bool is_kept_around(std::uint32_t slot, const Record& record) const {
    const auto pid = static_cast<std::int64_t>(record.kept_for);
    if (pid <= 1) return false;
    os::ProcessFacts facts;
    const bool same =
        request_.kept_for > 1
            ? pid == request_.kept_for && record.kept_for_start_ns == request_.kept_for_start_ns
            : ancestors_.have(pid) && os::process_facts(pid, facts) == 0 &&
                  facts.start_boot_ns == record.kept_for_start_ns;
    return same && holds(record.pid, slot);
  }

  const LockFile& file_;
  const Request& request_;
  const os::Ancestors ancestors_;
  bool inherits_ = false;
};

}  // namespace

bool own_tree_blocks(LockFile& file, const LockSpec& spec, const Request& request) {
  // An exclusive holder is the only one: if the mode byte is locked and a slot is ours, both are
  // ours. And an exclusive caller fits beside no holder.
  Run mode;
  const bool locked =
      first_locked(file.slot_fd(), kModeByte, kModeByte + 1, mode) == 0 && mode.found;
  const bool alone = locked || spec.mode == Mode::exclusive;
  const std::uint32_t others = spec.max < spec.take ? 0 : spec.max - spec.take + 1;
  const std::uint32_t enough = alone ? 1 : others;
  if (enough > kMostLookedAt) return false;
  const Around around(file, request);
  std::uint32_t ours = 0;
  HeldSlots held;
  std::uint32_t looked = 0;
  for (std::uint32_t slot = 1; slot <= kMaxSlots && ours < enough && looked < kMostLookedAt;
       slot = held.last + 1) {
    if (next_held(file, slot, kMaxSlots, held) != 0 || !held.found) break;
    ++looked;
    ours += !held.foreign && around.has(held) ? 1U : 0U;
  }
  return ours >= enough;
}

}  // namespace atmost::local
