#include "queue.h"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "core/turn.h"
#include "os/file.h"
#include "os/interrupt.h"
#include "os/process.h"
#include "os/self.h"
#include "ranges.h"

namespace atmost::local {
namespace {

bool record_of(LockFile& file, std::uint32_t queue, std::uint64_t ticket, WaiterRecord& to) {
  return read_waiter(file.fd(), ticket, to) && to.queue == queue && to.ticket == ticket;
}

std::uint64_t running_boot(const LockFile& file) {
  constexpr std::uint64_t kAnyBoot = 1;  // turns are measured by the wall clocks
  if (file.identity().across) return kAnyBoot;
  const std::uint64_t known = file.identity().boot;
  return known != 0 ? known : os::boot_hash();
}

std::int64_t turn_in(const LockFile& file, const WaiterRecord& record) {
  return record.turn_boot_ns != 0 && record.turn_boot == running_boot(file) ? record.turn_boot_ns
                                                                            : 0;
}

bool ticket_locked(LockFile& file, std::uint32_t queue, std::uint64_t ticket) {
  os::Conflict conflict;
  const os::Bytes byte = {queue_start(queue) + static_cast<std::int64_t>(ticket), 1};
  // If the query fails, the waiter counts as waiting.
  return os::query_lock(file.fd(), os::Owner::description, os::LockKind::read, byte, conflict) !=
             0 ||
         conflict.found;
}

// Milliseconds of uptime (2^20 ns). No earlier ticket of this boot is greater, unless more than one
// was drawn in each millisecond since; then the stored count is greater.
std::uint64_t ticket_of(const Instant& now) {
  const std::uint64_t by_clock =
      static_cast<std::uint64_t>(now.boot_ns > 0 ? now.boot_ns : 0) >> 20;
  return by_clock == 0 ? 1 : by_clock;
}

template <std::size_t N>
std::uint8_t copy_text(std::string_view from, char (&to)[N]) {
  const std::size_t size = from.size() < N ? from.size() : N;
  std::memcpy(to, from.data(), size);
  return static_cast<std::uint8_t>(size);
}

// As records have it: by the clock by which turns are measured.
std::int64_t due_in_record(const LockFile& file, const Instant& now, std::int64_t due_boot_ns) {
  if (due_boot_ns == 0 || !file.identity().across) return due_boot_ns;
  return due_boot_ns - now.boot_ns + now.real_ns;
}

void describe(LockFile& file, const LockSpec& spec, const Request& request, const Instant& now,
              std::int64_t due_boot_ns, std::uint64_t ticket) {
  WaiterRecord record = {};
  record.ticket = ticket;
  const StampData start = data_of(now, file.identity());
  record.start_real_ns = start.real_ns;
  record.start_boot_ns = start.boot_ns;
  record.boot = start.boot;
  record.queue = queue_of(spec);
  record.max = spec.max;
  record.take = spec.take;
  record.pid = static_cast<std::uint32_t>(os::process_id());
  record.uid = os::user_id();
  record.mode = static_cast<std::uint8_t>(spec.mode);
  record.joins = request.on_busy == OnBusy::join;
  record.due_boot_ns = due_in_record(file, now, due_boot_ns);
  if (file.identity().across) note_host(record.host);
  record.id_size = copy_text(request.id, record.id);
  record.command_size = copy_text(request.command, record.command);
  // A full disk costs a line in a listing, not the waiter's place.
  (void)write_waiter(file.fd(), record);
}

}  // namespace

Status draw_ticket(LockFile& file, const LockSpec& spec, const Request& request, const Instant& now,
                   std::int64_t due_boot_ns, std::uint64_t& ticket) {
  constexpr std::uint64_t kAbsurd = kMaxTicket - (1 << 20);
  const std::int64_t start = queue_start(queue_of(spec));
  const std::uint64_t stored = file.header().ticket < kAbsurd ? file.header().ticket : 0;
  const std::uint64_t by_clock = ticket_of(now);
  ticket = stored + 1 > by_clock ? stored + 1 : by_clock;
  // The stored count may have been lost: in any case, our ticket is behind all that are locked.
  const auto end = start + static_cast<std::int64_t>(kMaxTicket);
  Run behind;
  int error = last_locked(file.fd(), start + static_cast<std::int64_t>(ticket), end, behind);
  if (error == 0 && behind.found) ticket = static_cast<std::uint64_t>(behind.end - start);
  if (error == 0) {
    error = os::try_lock(file.fd(), os::Owner::description, os::LockKind::write,
                         {start + static_cast<std::int64_t>(ticket), 1});
  }
  if (error != 0) {
    ticket = 0;
    return file.failure(Code::io, error, "cannot queue");
  }
  file.header().ticket = ticket;
  if (request.on_busy == OnBusy::join) {
    file.header().joiner_queue = queue_of(spec);
    file.header().joiner_ticket = ticket;
  }
  if (request.on_busy == OnBusy::supersede) file.header().superseding_ticket = ticket;
  if (Status saved = file.save_header(); !saved.ok()) {
    give_up_ticket(file, spec, ticket);
    ticket = 0;
    return saved;
  }
  if (request.on_busy == OnBusy::join) {
    (void)os::try_lock(file.fd(), os::Owner::description, os::LockKind::write, {kJoinByte, 1});
  }
  describe(file, spec, request, now, due_boot_ns, ticket);
  return {};
}

void give_up_ticket(LockFile& file, const LockSpec& spec, std::uint64_t ticket) {
  if (ticket == 0) return;
  os::unlock(file.fd(), os::Owner::description,
             {queue_start(queue_of(spec)) + static_cast<std::int64_t>(ticket), 1});
  os::unlock(file.fd(), os::Owner::description, {kJoinByte, 1});
}

Status next_waiter(LockFile& file, std::uint32_t queue, std::uint64_t after, std::uint64_t before,
                   Waiter& to) {
  to = {};
  const std::int64_t start = queue_start(queue);
  const std::int64_t end = start + static_cast<std::int64_t>(before == 0 ? kMaxTicket : before);
  for (std::int64_t low = start + static_cast<std::int64_t>(after) + 1; low < end;) {
    Run run;
    if (const int error = first_locked(file.fd(), low, end, run, os::LockKind::read)) {
      return file.failure(Code::io, error, "cannot query the queue");
    }
    if (!run.found) return {};
    low = run.end;
    if (run.end - run.start > 1) continue;  // a ticket is one byte: this lock is not a waiter
    to.ticket = static_cast<std::uint64_t>(run.start - start);
    WaiterRecord record;
    const bool known = record_of(file, queue, to.ticket, record);
    to.writer = queue == kModeQueue &&
                (!known || record.mode == static_cast<std::uint8_t>(Mode::exclusive));
    if (!known) return {};
    if (record.take >= 1 && record.take <= kMaxTake) to.take = record.take;
    to.turn_boot_ns = turn_in(file, record);
    if (file.identity().across || record.boot == running_boot(file))
      to.due_boot_ns = record.due_boot_ns;
    return {};
  }
  return {};
}

void note_turn(LockFile& file, std::uint32_t queue, std::uint64_t ticket,
               std::int64_t began_boot_ns) {
  WaiterRecord record = {};
  if (!record_of(file, queue, ticket, record)) {
    record = {};
    record.ticket = ticket;
    record.queue = queue;
    record.max = queue <= kMaxSlots ? queue : 0;
    record.take = 1;
    if (queue == kModeQueue) record.mode = static_cast<std::uint8_t>(Mode::exclusive);
  }
  record.turn_boot_ns = began_boot_ns;
  record.turn_boot = running_boot(file);
  (void)write_waiter(file.fd(), record);
}

void note_due(LockFile& file, std::uint32_t queue, std::uint64_t ticket, const Instant& now,
              std::int64_t due_boot_ns) {
  WaiterRecord record;
  const std::int64_t due = due_in_record(file, now, due_boot_ns);
  if (!record_of(file, queue, ticket, record) || record.due_boot_ns == due) return;
  record.due_boot_ns = due;
  (void)write_waiter(file.fd(), record);
}

Status count_waiters(LockFile& file, std::uint32_t enough, std::uint32_t& to) {
  to = 0;
  const std::int64_t end = queue_start(kModeQueue + 1);
  for (std::int64_t low = kTicketBase; low < end && to < enough;) {
    Run run;
    if (const int error = first_locked(file.fd(), low, end, run, os::LockKind::read))
      return file.failure(Code::io, error, "cannot query the queue");
    if (!run.found) return {};
    if (run.end - run.start == 1) ++to;  // a ticket is one byte
    low = run.end;
  }
  return {};
}

bool is_superseded(const LockFile& file, std::uint64_t ticket) {
  std::uint64_t newest = 0;
  std::size_t got = 0;
  const auto where = kHeaderAt + static_cast<std::int64_t>(offsetof(Header, superseding_ticket));
  const int error = os::read_at(file.fd(), &newest, sizeof newest, where, got);
  return error == 0 && got == sizeof newest && newest > ticket && newest <= kMaxTicket;
}

std::int64_t turn_of(LockFile& file, std::uint32_t queue, std::uint64_t ticket) {
  WaiterRecord record;
  return record_of(file, queue, ticket, record) ? turn_in(file, record) : 0;
}

bool joiner_counts(LockFile& file, std::int64_t now_boot_ns) {
  const std::uint64_t ticket = file.header().joiner_ticket;
  const std::uint64_t queue = file.header().joiner_queue;
  if (ticket == 0 || ticket > kMaxTicket || queue > kModeQueue) return true;
  const auto number = static_cast<std::uint32_t>(queue);
  return ticket_locked(file, number, ticket) &&
         !Turns(now_boot_ns, 0).overtaken(turn_of(file, number, ticket));
}

Status find_ahead(LockFile& file, std::uint32_t queue, std::uint64_t ticket, std::uint32_t far,
                  std::int64_t now_boot_ns, Ahead& to) {
  const std::int64_t start = queue_start(queue);
  Turns turns(now_boot_ns, 0);
  std::uint64_t nearest = 0;
  std::uint64_t furthest = 0;
  to = {};
  for (std::int64_t end = start + static_cast<std::int64_t>(ticket);
       end > start && to.count < far;) {
    Run run;
    if (const int error = last_locked(file.fd(), start, end, run, os::LockKind::read)) {
      return file.failure(Code::io, error, "cannot query the queue");
    }
    if (!run.found) break;
    end = run.start;
    if (run.end - run.start > 1) continue;
    const auto here = static_cast<std::uint64_t>(run.start - start);
    if (turns.overtaken(turn_of(file, queue, here))) continue;
    if (nearest == 0) nearest = here;
    furthest = here;
    ++to.count;
  }
  to.ticket = to.count == far ? furthest : nearest;
  return {};
}

int wait_behind(LockFile& file, std::uint32_t queue, std::uint64_t ahead,
                std::int64_t boot_deadline_ns) {
  const os::Bytes byte = {queue_start(queue) + static_cast<std::int64_t>(ahead), 1};
  const int error = os::wait_lock_until(file.fd(), os::Owner::description, os::LockKind::read, byte,
                                        boot_deadline_ns, file.blocking());
  if (error == 0) os::unlock(file.fd(), os::Owner::description, byte);
  return error;
}

}  // namespace atmost::local
