#include "listing.h"

#include <cerrno>
#include <cstring>

#include "os/clock.h"
#include "os/environment_mark.h"
#include "os/lock_holdings.h"
#include "os/process.h"
#include "os/process_label.h"
#include "os/self.h"
#include "ranges.h"

namespace atmost::local {
namespace {

template <std::size_t N>
std::uint8_t copy_text(std::string_view from, char (&to)[N]) {
  const std::size_t size = from.size() < N ? from.size() : N;
  std::memcpy(to, from.data(), size);
  return static_cast<std::uint8_t>(size);
}

}  // namespace

Record make_record(const Request& request, std::uint32_t slot, std::uint64_t token,
                   const Instant& now, const Identity& identity, std::uint32_t user) {
  Record record = {};
  const StampData start = data_of(now, identity);
  record.token = token;
  record.start_real_ns = start.real_ns;
  record.start_boot_ns = start.boot_ns;
  record.boot = start.boot;
  const bool keeps = request.kept_for != 0;
  record.expire_after_ns = (keeps ? request.keep_at_most : request.expire_after).ns;
  record.slot = slot;
  record.pid = static_cast<std::uint32_t>(os::process_id());
  record.uid = user;
  record.kind = static_cast<std::uint8_t>(keeps          ? HolderKind::keeper
                                          : request.exec ? HolderKind::exec
                                                         : request.kind);
  record.kept_for = static_cast<std::uint64_t>(request.kept_for);
  record.kept_for_start_ns = request.kept_for_start_ns;
  record.eviction = static_cast<std::uint8_t>(request.eviction);
  if (identity.across) note_host(record.host);
  record.id_size = copy_text(request.id, record.id);
  record.command_size = copy_text(request.command, record.command);
  return record;
}

void describe_holder(LockFile& file, std::uint32_t slot, bool live_word, HolderView& to) {
  to = {};
  to.slot = slot;
  to.live_word = live_word;
  Record record;
  if (read_record(file.fd(), slot, record)) view_of(record, file.identity(), to);
  to.hold = to.token;
  os::Conflict conflict;
  const bool asked =
      !live_word && os::query_lock(file.slot_fd(), os::Owner::description, os::LockKind::write,
                                   {slot_byte(slot), 1}, conflict) == 0;
  // A process-owned lock names its owner, and holders have no read locks. If the record says
  // otherwise, it is an earlier holder's.
  const bool named =
      asked && conflict.found && conflict.pid > 0 && (!to.has_record || conflict.pid != to.pid);
  const bool read_locked = asked && conflict.found && !conflict.write;
  if (named || read_locked) {
    to = {};
    to.slot = slot;
    to.read_locked = read_locked;
    to.pid = conflict.pid > 0 ? conflict.pid : 0;
  }
  // A number of another machine means another process here.
  if (file.identity().across && to.has_record && record.boot != file.identity().boot) return;
  os::ProcessFacts process;
  if (to.pid <= 0 || os::process_facts(to.pid, process) != 0) return;
  // A process that started after the hold began has the holder's pid, but not its slot. /proc
  // counts in ticks of 10 ms.
  constexpr std::int64_t kTickNs = 10'000'000;
  if (to.has_record && to.start.same_boot && process.start_boot_ns > to.start.boot_ns + kTickNs)
    return;
  to.process_state = process.state;
  if (!to.has_record) {
    os::ProcessLabel label;
    if (os::process_label(to.pid, label)) {
      to.uid = label.user;
      to.command = label.name;
    }
    const Instant at = os::now();
    to.start = {at.real_ns - (at.boot_ns - process.start_boot_ns), process.start_boot_ns, true,
                true};
    const std::int64_t who[] = {to.pid, process.start_boot_ns};
    to.hold = checksum_of(who, sizeof who);
  }
  const Identity& file_id = file.identity();
  to.verified = live_word || os::holds_byte(to.pid, file_id.device, file_id.inode,
                                            slot_byte(slot)) == os::Holding::yes;
}

std::size_t collect_holders(LockFile& file, std::span<HolderView> to) {
  std::size_t count = 0;
  std::int64_t low = kFirstSlotByte;
  const std::int64_t end = slot_byte(kMaxSlots) + 1;
  while (low < end && count < to.size()) {
    Run run;
    if (first_locked(file.slot_fd(), low, end, run) != 0 || !run.found) break;
    for (; run.start < run.end && count < to.size(); ++run.start) {
      describe_holder(file, slot_of(run.start), false, to[count++]);
    }
    low = run.end;
  }
  return count;
}

std::int64_t guard_holder(const LockFile& file) {
  os::Conflict conflict;
  if (os::query_lock(file.fd(), os::Owner::description, os::LockKind::write, kGuard, conflict) ==
          0 &&
      conflict.pid > 0) {
    return conflict.pid;  // a process-owned lock names its owner
  }
  // Any process that may read the file can lock the guard for reading.
  class Guards final : public os::LockLineVisitor {
   public:
    void lock(const os::LockLine& line) override { any = any || line.covers(kGuard.start); }
    bool any = false;
  };
  class Finder final : public os::ProcessVisitor {
   public:
    explicit Finder(const Identity& identity) : identity_(identity) {}
    bool process(std::int64_t pid, const os::ProcessFacts&) override {
      if (pid == os::process_id()) return true;
      Guards guards;
      (void)os::each_lock(pid, identity_.device, identity_.inode, guards);
      if (guards.any) found = pid;
      return found == 0;
    }
    std::int64_t found = 0;

   private:
    const Identity& identity_;
  };
  Finder finder(file.identity());
  (void)os::each_process(finder);
  return finder.found;
}

namespace {

constinit os::LockHoldings holdings;  // listing is for programs, which are single-threaded

bool has_ended(const HolderView& holder) {
  // The process was seen running, so no further query is needed.
  if (holder.process_state != 0 && holder.process_state != 'Z' && holder.process_state != 'X')
    return false;
  os::ProcessFacts facts;
  const int error = os::process_facts(holder.pid, facts);
  if (error == ESRCH) return !os::process_exists(holder.pid);
  return error == 0 && (facts.ended() || holder.process_state == 0);
}

}  // namespace

void name_who_is_left(const LockFile& file, HolderView& holder, bool& gathered) {
  if (file.identity().across) return;
  if (holder.verified || !holder.has_record || holder.read_locked || holder.pid <= 0) return;
  if (!has_ended(holder)) return;
  if (!gathered) holdings.gather(file.identity().device, file.identity().inode);
  gathered = true;
  const std::int64_t byte = slot_byte(holder.slot);
  for (std::uint32_t i = 0; i < holdings.count(); ++i) {
    const os::HeldRange& held = holdings[i];
    if (!held.write || held.start > byte || held.end < byte || held.pid == os::process_id())
      continue;
    os::ProcessLabel label;
    if (!os::process_label(held.pid, label)) continue;
    // Only for a supervisor is it certain that this is another process (after --exec in another pid
    // namespace, the holder itself has another number here), and only a process with this hold's
    // token was started under it.
    const bool left =
        holder.kind == HolderKind::supervised && file.words_count() &&
        os::is_marked(held.pid, "ATMOST_TOKEN", static_cast<std::int64_t>(holder.token));
    holder.left_by = left ? holder.pid : 0;
    holder.pid = held.pid;
    holder.uid = label.user;
    holder.command = label.name;
    holder.verified = true;
    return;
  }
}

namespace {

// A keeper is not an ancestor: what counts is whether the process on whose behalf we ask has the
// slot already. Another process, for example its parent, may release it while we wait. The record
// may be older than the hold, so the lock is checked.
bool kept_for_the_same(const LockFile& file, std::uint32_t slot, const Record& record,
                       const Request& request) {
  const Identity& identity = file.identity();
  return request.kept_for > 1 && record.kept_for == static_cast<std::uint64_t>(request.kept_for) &&
         record.kept_for_start_ns == request.kept_for_start_ns &&
         os::holds_byte(record.pid, identity.device, identity.inode, slot_byte(slot)) ==
             os::Holding::yes;
}

bool held_by_our_tree(LockFile& file, std::uint32_t slot, const Request& request) {
  const Identity& identity = file.identity();
  // Finds a descriptor that we inherited; the one that we opened holds nothing below N here.
  if (os::holds_byte(os::process_id(), identity.device, identity.inode, slot_byte(slot)) ==
      os::Holding::yes) {
    return true;
  }
  Record record;
  if (!read_record(file.fd(), slot, record) || record.pid <= 1) return false;
  if (identity.across && record.boot != identity.boot) return false;
  if (record.kind == static_cast<std::uint8_t>(HolderKind::keeper))
    return kept_for_the_same(file, slot, record, request);
  return os::is_ancestor(record.pid);
}

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
  std::uint32_t ours = 0;
  std::int64_t low = kFirstSlotByte;
  const std::int64_t end = slot_byte(spec.max) + 1;
  while (low < end && ours < enough) {
    Run run;
    if (first_locked(file.slot_fd(), low, end, run) != 0 || !run.found) break;
    for (std::int64_t byte = run.start; byte < run.end && ours < enough; ++byte) {
      if (ours + (end - byte) < enough) return false;  // even if all others were ours
      ours += held_by_our_tree(file, slot_of(byte), request) ? 1U : 0U;
    }
    low = run.end;
  }
  return ours >= enough;
}

}  // namespace atmost::local
