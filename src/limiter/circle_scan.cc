#include "circle_scan.h"

#include "admission.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/self.h"
#include "store/local/hints.h"
#include "store/local/layout.h"

namespace atmost::limiter {

using policy::kNobody;

// The holders of one lock.
class CircleScan::Holders final : public LockVisitor {
 public:
  Holders(CircleScan& scan, std::uint32_t lock) : scan_(scan), lock_(lock) {}
  bool holders_only() const override { return true; }
  // No end of a hold opens a lock that is drained.
  void header(const Header& header) override { whole = header.exists && !header.drained; }
  void waiter(const WaiterView&) override {}
  void holder(const HolderView& holder) override { whole = whole && scan_.add_hold(lock_, holder); }
  bool whole = false;

 private:
  CircleScan& scan_;
  const std::uint32_t lock_;
};

// The places of one process in queues.
class CircleScan::Tickets final : public os::LockedFileVisitor {
 public:
  Tickets(CircleScan& scan, std::uint32_t process) : scan_(scan), process_(process) {}
  bool locked(const char* link, const os::LockLine& line) override {
    if (local::has_slots(line)) keeps = keeps || is_keeper(link, line);
    if (!local::is_ticket(line)) return true;
    std::uint32_t lock = 0;
    PathText path;
    whole = os::read_link(link, path) == 0 && scan_.add_lock(path.c_str(), lock) &&
            scan_.locks_[lock].inode == line.inode && scan_.add_waiter(process_, lock, line.start);
    return whole;
  }
  bool whole = true;
  bool keeps = false;  // it has a slot on behalf of another process, and does nothing else

 private:
  bool is_keeper(const char* link, const os::LockLine& line) const {
    os::Fd fd;
    local::Record record;
    return os::open_to_read(link, fd) == 0 &&
           local::read_record(fd.get(), local::slot_of(line.start), record) &&
           record.pid == scan_.seen_[process_].pid &&
           record.kind == static_cast<std::uint8_t>(HolderKind::keeper);
  }

  CircleScan& scan_;
  const std::uint32_t process_;
};

bool CircleScan::run(Store& store, const CircleAsker& asker) {
  store_ = &store;
  lock_count_ = process_count_ = hold_count_ = waiter_count_ = 0;
  std::uint32_t own = 0;
  if (!add_lock(asker.lock.path.c_str(), own)) return false;
  std::uint32_t process = 0;
  for (std::uint32_t lock = 0; lock < lock_count_; ++lock) {
    if (!see_holds(lock)) return false;
    for (; process < process_count_; ++process) {
      if (!see_process(process)) return false;
    }
  }
  self_ = waiter_count_;
  const std::uint32_t in_trees = waiter_count_;
  for (std::uint32_t i = 0; i < in_trees; ++i) {
    settle(i);
    if (waiters_[i].pid == os::process_id()) {
      self_ = i;
      waiters_[i].no_room = waiters_[i].no_room || asker.no_room;
    }
    if (!waiters_[i].no_room) add_waiters_in_front(waiters_[i]);
  }
  return self_ < in_trees && waiters_[self_].lock == own;
}

policy::CircleFacts CircleScan::facts() const {
  return {{processes_, process_count_}, {holds_, hold_count_}, {waiters_, waiter_count_}};
}

bool CircleScan::add_lock(const char* path, std::uint32_t& to) {
  struct stat status;
  if (os::path_status(path, status, false) != 0) return false;
  const auto device = static_cast<std::uint64_t>(status.st_dev);
  const auto inode = static_cast<std::uint64_t>(status.st_ino);
  for (to = 0; to < lock_count_; ++to) {
    if (locks_[to].device == device && locks_[to].inode == inode) return true;
  }
  if (lock_count_ == kMostLocks) return false;
  Lock& lock = locks_[lock_count_++];
  lock.path.assign(path);
  lock.device = device;
  lock.inode = inode;
  return !lock.path.truncated();
}

bool CircleScan::see_holds(std::uint32_t index) {
  Lock& lock = locks_[index];
  LockSpec spec;
  spec.name = spec.path = TextView(lock.path);
  const Instant now = os::now();
  const Result<std::uint32_t> held = store_->inspect(spec, now, nullptr);
  if (!held.ok() || held.value() == 0 || held.value() > policy::kMostTreeHolds) return false;
  lock.held = held.value();
  Holders holders(*this, index);
  if (!store_->inspect(spec, now, &holders).ok() || !holders.whole) return false;
  os::Fd fd;
  os::Conflict taker;
  // A taker is at work.
  return os::open_to_read(lock.path.c_str(), fd) == 0 &&
         os::query_lock(fd.get(), os::Owner::description, local::kOfTaker,
                        {local::takeover_byte(1), std::int64_t{3} * kMaxSlots}, taker) == 0 &&
         !taker.found;
}

// A hold whose process cannot be seen to have it is at work.
bool CircleScan::add_hold(std::uint32_t lock, const HolderView& holder) {
  const bool seen = holder.verified && holder.host.empty() && !holder.foreign_lock &&
                    !holder.read_locked && holder.left_by == 0 && holder.pid > 1;
  const bool kept = holder.kind == HolderKind::keeper;
  if (!seen || hold_count_ == policy::kMostTreeHolds) return false;
  policy::TreeHold& to = holds_[hold_count_];
  to = {.lock = lock, .since_boot_ns = holder.start.same_boot ? holder.start.boot_ns : 0};
  std::int32_t root = 0;
  if (!add_process(kept ? holder.kept_for : holder.pid, kNobody, root)) return false;
  to.root = root;
  const Duration limit = kept ? holder.expire_after : holder.max_runtime;
  to.ends_boot_ns = plus(to.since_boot_ns, limit);
  // It looks after its command, and does nothing else.
  if (holder.kind == HolderKind::supervised) processes_[root].rests = true;
  std::int64_t& started = seen_[root].start_boot_ns;
  if (kept && started != 0 && started != holder.kept_for_start_ns) return false;
  if (kept) started = holder.kept_for_start_ns;
  held_[hold_count_++] = {holder.hold, holder.pid, holder.command};
  return true;
}

bool CircleScan::add_process(std::int64_t pid, std::int32_t parent, std::int32_t& to) {
  for (std::uint32_t i = 0; i < process_count_; ++i) {
    if (seen_[i].pid != pid) continue;
    if (processes_[i].parent == kNobody) processes_[i].parent = parent;
    to = static_cast<std::int32_t>(i);
    return true;
  }
  if (process_count_ == policy::kMostTreeProcesses) return false;
  to = static_cast<std::int32_t>(process_count_);
  processes_[process_count_] = {.parent = parent};
  seen_[process_count_++] = {.pid = pid};
  return true;
}

// False: it is at work, or may be.
bool CircleScan::see_process(std::uint32_t index) {
  policy::TreeProcess& process = processes_[index];
  Process& seen = seen_[index];
  os::Standing now;
  if (os::standing_of(seen.pid, now) != 0) return false;
  if (now.facts.ended()) {
    // Its parent has not noticed it. It does not count as part of the tree.
    process.parent = kNobody;
    return true;
  }
  if (seen.start_boot_ns != 0 && seen.start_boot_ns != now.facts.start_boot_ns) return false;
  seen.start_boot_ns = now.facts.start_boot_ns;
  seen.cpu_ns = now.cpu_ns;
  const bool runs = now.facts.state == 'S' || (now.atmost && now.facts.state == 'R');
  if (!runs || now.facts.threads > 1) return false;
  const bool supervises = process.rests;
  process.rests = supervises || now.rests || now.atmost;
  if (process.rests && !see_children(index)) return false;
  if (supervises || now.rests) return true;
  Tickets tickets(*this, index);
  if (os::each_locked_file(seen.pid, tickets) != 0 || !tickets.whole) return false;
  if (tickets.keeps && process.waiter == kNobody) process.parent = kNobody;
  return process.waiter != kNobody || now.atmost;
}

bool CircleScan::see_children(std::uint32_t index) {
  std::int64_t children[256];
  std::size_t count = 0;
  if (os::children_of(seen_[index].pid, children, count) != 0) return false;
  std::int32_t child = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!add_process(children[i], static_cast<std::int32_t>(index), child)) return false;
  }
  return true;
}

// A second place is that of a caller of several locks: it claims a slot in one of them.
bool CircleScan::add_waiter(std::uint32_t process, std::uint32_t lock, std::int64_t byte) {
  if (waiter_count_ == policy::kMostTreeWaiters) return false;
  policy::TreeWaiter place;
  if (!read_place(lock, byte, place) || place.pid != seen_[process].pid) return false;
  std::int32_t& waiter = processes_[process].waiter;
  if (waiter == kNobody) {
    waiter = static_cast<std::int32_t>(waiter_count_);
    waiters_[waiter_count_++] = place;
    return true;
  }
  policy::TreeWaiter& before = waiters_[waiter];
  if (!place.claims) return true;
  place.claims = !before.claims;
  needs_[waiter] = needs_[waiter_count_];
  before = place;
  return true;
}

// Also fills the next of needs_.
bool CircleScan::read_place(std::uint32_t lock, std::int64_t byte, policy::TreeWaiter& to) {
  const auto ticket = static_cast<std::uint64_t>(byte) & local::kMaxTicket;
  os::Fd fd;
  local::WaiterRecord record;
  if (os::open_to_read(locks_[lock].path.c_str(), fd) != 0 ||
      !local::read_waiter(fd.get(), ticket, record) || record.ticket != ticket ||
      local::queue_start(record.queue) + static_cast<std::int64_t>(ticket) != byte)
    return false;
  to = {.lock = lock,
        .queue = record.queue,
        .ticket = ticket,
        .since_boot_ns = record.start_boot_ns,
        .pid = record.pid,
        .leaves = record.looks != 0,
        .claims = record.parked == 0 && record.due_boot_ns <= os::boot_ns()};
  if (record.expires_ns > 0) to.expire_after = {record.expires_ns};
  needs_[waiter_count_] = {record.max, record.take, static_cast<Mode>(record.mode)};
  return true;
}

void CircleScan::settle(std::uint32_t waiter) {
  const Need& need = needs_[waiter];
  const std::uint32_t held = locks_[waiters_[waiter].lock].held;
  waiters_[waiter].no_room =
      need.mode == Mode::exclusive || need.take > need.max || held > need.max - need.take;
}

// Also the waiters that do not wait below a hold; of many, the first.
void CircleScan::add_waiters_in_front(const policy::TreeWaiter& of) {
  os::Fd fd;
  if (os::open_to_read(locks_[of.lock].path.c_str(), fd) != 0) return;
  const std::int64_t first = local::queue_start(of.queue);
  std::int64_t end = first + static_cast<std::int64_t>(of.ticket);
  for (int left = 8; left > 0 && waiter_count_ < policy::kMostTreeWaiters; --left) {
    os::Conflict found;
    if (os::query_lock(fd.get(), os::Owner::description, os::LockKind::read, {first, end - first},
                       found) != 0 ||
        !found.found)
      return;
    if (!read_place(of.lock, found.bytes.start, waiters_[waiter_count_])) return;
    settle(waiter_count_++);
    end = found.bytes.start;
  }
}

}  // namespace atmost::limiter
