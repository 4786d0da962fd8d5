#include "listing.h"

#include <cerrno>

#include "holder_scan.h"
#include "os/clock.h"
#include "os/futex.h"
#include "os/locks.h"
#include "os/process.h"
#include "os/self.h"
#include "slots.h"

namespace atmost::local {
Record make_record(const Request& request, std::uint32_t slot, std::uint64_t token,
                   const Instant& now, const Identity& identity, std::uint32_t user,
                   Duration max_runtime) {
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
  if (keeps) {
    record.kept_for_start_ns = request.kept_for_start_ns;
  } else if (record.kind == static_cast<std::uint8_t>(HolderKind::supervised)) {
    record.max_runtime_ns = max_runtime.ns;
  }
  record.eviction = static_cast<std::uint8_t>(request.eviction);
  if (identity.across) note_host(record.host);
  record.id_size = copy_text(request.id, record.id);
  record.command_size = copy_text(request.command, record.command);
  return record;
}

namespace {

// The known facts of a holder without a record.
void describe_process(const os::ProcessFacts& process, HolderView& to) {
  os::ProcessLabel label;
  if (os::process_label(to.pid, label)) {
    to.uid = label.user;
    to.command = label.name;
  }
  const Instant at = os::now();
  to.start = {at.real_ns - (at.boot_ns - process.start_boot_ns), process.start_boot_ns, true, true};
  const std::int64_t who[] = {to.pid, process.start_boot_ns};
  to.hold = checksum_of(who, sizeof who);
}

// The kernel marks the word of a supervisor that is killed. Where others may write the file, both
// word and record may be theirs.
bool has_died(const LockFile& file, std::uint32_t slot) {
  Word word;
  return file.words_count() && !file.several_may_write() &&
         read_words(file.fd(), slot, 1, &word) == 0 && (word.thread & os::kOwnerDied) != 0;
}

}  // namespace

bool is_foreign(int fd, const os::Conflict& lock) {
  if (!is_on_the_map(lock)) return true;
  const std::int64_t start = lock.bytes.start < kFirstSlotByte ? kFirstSlotByte : lock.bytes.start;
  const std::int64_t last_byte = lock.bytes.start + lock.bytes.length - 1;
  if (start == last_byte) return false;
  // One hold of several slots (--take): each has its process's record.
  Record first;
  Record last;
  return !read_record(fd, slot_of(start), first) || !read_record(fd, slot_of(last_byte), last) ||
         first.pid != last.pid || (lock.pid > 0 && lock.pid != first.pid);
}

int next_held(const LockFile& file, std::uint32_t slot, std::uint32_t last, HeldSlots& to) {
  Run run;
  const int error = first_locked(file.slot_fd(), slot_byte(slot), slot_byte(last) + 1, run);
  to.found = error == 0 && run.found;
  if (!to.found) return error;
  to.foreign = is_foreign(file.fd(), run.lock);
  to.pid = run.lock.pid > 0 ? run.lock.pid : 0;
  to.first = to.last = slot_of(run.start);
  if (!to.foreign) return 0;
  const os::Bytes& bytes = run.lock.bytes;
  const std::int64_t end = slot_byte(kMaxSlots) + 1;
  const bool ends = bytes.length != 0 && bytes.start + bytes.length < end;
  to.first = bytes.start < kFirstSlotByte ? 1 : slot_of(bytes.start);
  to.last = slot_of((ends ? bytes.start + bytes.length : end) - 1);
  return 0;
}

void describe_foreign(const LockFile& file, const HeldSlots& slots, HolderView& to) {
  to = {};
  to.slot = slots.first;
  to.slots = slots.last - slots.first + 1;
  to.foreign_lock = true;
  os::Conflict conflict;
  (void)os::query_lock(file.slot_fd(), os::Owner::description, os::LockKind::write,
                       {slot_byte(slots.first), 1}, conflict);
  to.read_locked = conflict.found && !conflict.write;
  if (conflict.pid <= 0 || file.identity().across) return;
  to.pid = conflict.pid;
  to.verified = true;
  os::ProcessFacts process;
  if (os::process_facts(to.pid, process) != 0) return;
  to.process_state = process.state;
  describe_process(process, to);
}

void describe_holder(LockFile& file, std::uint32_t slot, bool live_word, HolderView& to) {
  to = {};
  to.slot = slot;
  to.live_word = live_word;
  Record record;
  if (read_record(file.fd(), slot, record)) view_of(record, file.identity(), to);
  if (!to.max_runtime.is_forever())
    to.supervisor_died = !live_word && to.start.same_boot && has_died(file, slot);
  to.hold = to.token;
  os::Conflict conflict;
  const bool asked =
      !live_word && os::query_lock(file.slot_fd(), os::Owner::description, os::LockKind::write,
                                   {slot_byte(slot), 1}, conflict) == 0;
  // A process-owned lock names its owner, and holders have no read locks. A record that differs is
  // an earlier holder's.
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
  if (!to.has_record) describe_process(process, to);
  const Identity& file_id = file.identity();
  to.verified = live_word || os::holds_byte(to.pid, file_id.device, file_id.inode,
                                            slot_byte(slot)) == os::Holding::yes;
}

std::size_t collect_holders(LockFile& file, std::span<HolderView> to) {
  std::size_t count = 0;
  HeldSlots held;
  for (std::uint32_t slot = 1; slot <= kMaxSlots && count < to.size(); slot = held.last + 1) {
    if (next_held(file, slot, kMaxSlots, held) != 0 || !held.found) break;
    if (held.foreign) {
      describe_foreign(file, held, to[count++]);
    } else {
      describe_holder(file, held.first, false, to[count++]);
    }
  }
  return count;
}

std::int64_t guard_holder(const LockFile& file) { return locker_of(file, kGuard.start); }

std::int64_t locker_of(const LockFile& file, std::int64_t byte) {
  os::Conflict conflict;
  if (os::query_lock(file.fd(), os::Owner::description, os::LockKind::write, {byte, 1}, conflict) ==
          0 &&
      conflict.pid > 0) {
    return conflict.pid;  // a process-owned lock names its owner
  }
  // Any process that may read the file can lock it for reading.
  class Lines final : public os::LockLineVisitor {
   public:
    explicit Lines(std::int64_t byte) : byte_(byte) {}
    void lock(const os::LockLine& line) override { any = any || line.covers(byte_); }
    bool any = false;

   private:
    const std::int64_t byte_;
  };
  class Finder final : public os::ProcessVisitor {
   public:
    Finder(const Identity& identity, std::int64_t byte) : identity_(identity), byte_(byte) {}
    bool process(std::int64_t pid, const os::ProcessFacts&) override {
      if (pid == os::process_id()) return true;
      Lines lines(byte_);
      (void)os::each_lock(pid, identity_.device, identity_.inode, lines);
      if (lines.any) found = pid;
      return found == 0;
    }
    std::int64_t found = 0;

   private:
    const Identity& identity_;
    const std::int64_t byte_;
  };
  Finder finder(file.identity(), byte);
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
  return error == ESRCH || (error == 0 && (facts.ended() || holder.process_state == 0));
}

}  // namespace

void name_who_is_left(const LockFile& file, HolderView& holder, bool& gathered) {
  if (file.identity().across) return;
  const bool unknown = holder.foreign_lock && holder.pid <= 0;
  if (!unknown && (holder.verified || !holder.has_record || holder.read_locked || holder.pid <= 0 ||
                   !has_ended(holder))) {
    return;
  }
  if (!gathered) holdings.gather(file.identity().device, file.identity().inode);
  gathered = true;
  const std::int64_t byte = slot_byte(holder.slot);
  for (std::uint32_t i = 0; i < holdings.count(); ++i) {
    const os::HeldRange& held = holdings[i];
    const bool covers = held.start <= byte && byte <= held.end;
    if (held.write == holder.read_locked || !covers || held.pid == os::process_id()) continue;
    os::ProcessLabel label;
    if (!os::process_label(held.pid, label)) continue;
    // Only for a supervisor is it certain that this is another process (after --exec in another pid
    // namespace, the holder itself has another number here), and only a process with this hold's
    // token was started under it.
    const bool left =
        holder.kind == HolderKind::supervised && file.words_count() &&
        os::is_marked(held.pid, "ATMOST_TOKEN", static_cast<std::int64_t>(holder.token));
    holder.left_by = left ? holder.pid : 0;
    const bool limited = left && holder.supervisor_died;
    if (limited && holder.max_runtime < holder.expire_after)
      holder.expire_after = holder.max_runtime;
    holder.pid = held.pid;
    holder.uid = label.user;
    holder.command = label.name;
    holder.verified = true;
    return;
  }
}

std::size_t collect_left(LockFile& file, std::uint32_t max, WordBuffer& words,
                         std::span<HolderView> to) {
  std::size_t count = 0;
  for (std::uint32_t first = 1; first <= max; first += WordBuffer::kCapacity) {
    const std::uint32_t left = max - first + 1;
    const std::uint32_t read = left < WordBuffer::kCapacity ? left : WordBuffer::kCapacity;
    if (read_words(file.fd(), first, read, words.words) != 0) return count;
    for (std::uint32_t i = 0; i < read && count < to.size(); ++i) {
      if ((words.words[i].thread & os::kOwnerDied) == 0 || !is_held(file, first + i)) continue;
      describe_holder(file, first + i, false, to[count]);
      if (to[count].supervisor_died) ++count;
    }
  }
  return count;
}

void name_left(const LockFile& file, const Instant& now, std::span<HolderView> holders) {
  bool gathered = false;
  for (HolderView& holder : holders) {
    if (holder.supervisor_died && holder.start.known &&
        age_ns(holder.start, now) >= holder.max_runtime.ns)
      name_who_is_left(file, holder, gathered);
  }
}

}  // namespace atmost::local
