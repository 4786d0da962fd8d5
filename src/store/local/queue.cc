#include "queue.h"

#include <cstddef>

#include "core/turn.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/self.h"
#include "places.h"
#include "roll.h"
#include "slots.h"

namespace atmost::local {
namespace {

bool record_of(LockFile& file, std::uint32_t queue, std::uint64_t ticket, WaiterRecord& to) {
  return read_waiter(file.fd(), ticket, to) && to.queue == queue && to.ticket == ticket;
}

std::uint64_t running_boot(const LockFile& file) {
  if (file.identity().across) return 1;  // any: turns are measured by the wall clocks
  return file.identity().boot != 0 ? file.identity().boot : os::boot_hash();
}

std::int64_t turn_in(const LockFile& file, const WaiterRecord& record) {
  return record.turn_boot_ns != 0 && record.turn_boot == running_boot(file) ? record.turn_boot_ns
                                                                            : 0;
}

// A caller that has the guard so soon after a note shows that others could decide.
constexpr bool is_prompt(std::int64_t ns) { return ns >= 0 && ns < kNextTurn.ns; }

// 0: it is not confirmed.
std::int64_t confirmed_turn(const LockFile& file, const WaiterRecord& record, std::int64_t at_ns) {
  const std::int64_t began = turn_in(file, record);
  const std::int64_t age = at_ns - began;
  if (began == 0 || is_prompt(age) || is_prompt(age - kTurn.ns + kNextTurn.ns)) return began;
  std::uint32_t mark = 0;
  std::size_t got = 0;
  const int error = os::read_at(file.fd(), &mark, sizeof mark, turn_mark_at(record.ticket), got);
  return error == 0 && got == sizeof mark && mark == turn_mark(began) ? began : 0;
}

// True if a turn was noted at that moment: as one that begins, in full or late, or that is over.
bool noted_at(std::int64_t began_boot_ns, std::int64_t noted_boot_ns) {
  const std::int64_t before = noted_boot_ns - began_boot_ns;
  return before == 0 || before == kTurn.ns - kNextTurn.ns || before == kTurn.ns;
}

// Milliseconds of uptime (2^20 ns). No earlier ticket of this boot is greater, unless more than one
// was drawn in each millisecond since; then the stored count is greater.
std::uint64_t ticket_of(const Instant& now) {
  constexpr std::int64_t kOne = 1 << 20;
  return static_cast<std::uint64_t>(now.boot_ns > kOne ? now.boot_ns : kOne) >> 20;
}

// True if the record of a waiter that still waits lies where that of `ticket` would.
bool place_taken(LockFile& file, std::uint64_t ticket) {
  WaiterRecord there;
  return read_waiter(file.fd(), ticket, there) && there.ticket != ticket &&
         is_ticket_locked(file, there.queue, there.ticket);
}

void describe(LockFile& file, const LockSpec& spec, const Request& request, const Instant& now,
              const PlaceNote& place, std::uint64_t ticket) {
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
  record.due_boot_ns = place.due;
  record.parked = place.parked ? 1 : 0;
  record.looks = request.kind != HolderKind::library;
  record.expires_ns = age_of_victims(request);
  if (file.identity().across) note_host(record.host);
  record.id_size = copy_text(request.id, record.id);
  record.command_size = copy_text(request.command, record.command);
  // A full disk costs a line in a listing, not the waiter's place.
  (void)write_waiter(file.fd(), record);
  make_bell(file, ticket);
}

// The content of the waiter's record; false: it has none, or it was overwritten.
bool read_into(LockFile& file, std::uint32_t queue, Waiter& to, std::int64_t guarded_ns = 0) {
  WaiterRecord record;
  const bool known = record_of(file, queue, to.ticket, record);
  to.writer =
      queue == kModeQueue && (!known || record.mode == static_cast<std::uint8_t>(Mode::exclusive));
  if (!known) return false;
  if (record.take >= 1 && record.take <= kMaxTake) to.take = record.take;
  // At the limit of record, it is that of the moment and not the one at which it began to wait.
  if (queue != kLimitQueue && record.max >= 1 && record.max <= kMaxSlots) to.max = record.max;
  to.turn_boot_ns = confirmed_turn(file, record, guarded_ns);
  to.parked = record.parked != 0;
  if (file.identity().across || record.boot == running_boot(file))
    to.due_boot_ns = record.due_boot_ns;
  return true;
}

// Visits the locked tickets from `low` on, in order, until `visit` returns false.
template <class Visit>
Status each_ticket(LockFile& file, std::int64_t low, std::int64_t end, Visit visit) {
  while (low < end) {
    Run run;
    if (const int error = first_locked(file.fd(), low, end, run, os::LockKind::read))
      return file.failure(Code::io, error, "cannot query the queue");
    if (!run.found) return {};
    low = run.end;
    // A ticket is one byte: a longer lock is not a waiter.
    if (run.end - run.start == 1 && !visit(run.start)) return {};
  }
  return {};
}

}  // namespace

Status draw_ticket(LockFile& file, const LockSpec& spec, const Request& request, const Instant& now,
                   const PlaceNote& place, std::uint64_t& ticket) {
  constexpr std::uint64_t kAbsurd = kMaxTicket - (1 << 20);
  constexpr std::uint32_t kMostPlaces = 64;  // that are tried
  const std::int64_t start = queue_start(queue_of(spec));
  const std::uint64_t stored = file.header().ticket < kAbsurd ? file.header().ticket : 0;
  const std::uint64_t by_clock = ticket_of(now);
  ticket = stored + 1 > by_clock ? stored + 1 : by_clock;
  // The stored count may have been lost: in any case, our ticket is behind all that are locked.
  Run behind;
  int error = last_locked(file.fd(), start + static_cast<std::int64_t>(ticket),
                          start + static_cast<std::int64_t>(kMaxTicket), behind);
  if (error == 0 && behind.found) ticket = static_cast<std::uint64_t>(behind.end - start);
  // Beside more waiters than there are records, ours overwrites one.
  for (std::uint32_t i = 0; i < kMostPlaces && place_taken(file, ticket); ++i) ++ticket;
  const std::uint64_t newest = ticket;
  const auto lock = [&](std::uint64_t number) {
    return os::try_lock(file.fd(), os::Owner::description, os::LockKind::write,
                        {start + static_cast<std::int64_t>(number), 1});
  };
  // A waiter that slept behind it may have a read lock there still.
  const std::uint64_t kept = request.keep_place_ms > 0 ? kept_ticket(file, request) : 0;
  const bool returns = error == 0 && kept != 0 && rule::is_before(kept, newest) &&
                       !place_taken(file, kept) && lock(kept) == 0;
  if (returns) ticket = kept;
  if (error == 0 && !returns) error = lock(ticket);
  if (error != 0) {
    ticket = 0;
    return file.failure(Code::io, error, "cannot queue");
  }
  file.header().ticket = newest;  // also for a kept place: it shows that there is a waiter
  if (request.on_busy == OnBusy::supersede) file.header().superseding_ticket = ticket;
  if (Status saved = file.save_header(); !saved.ok()) {
    give_up_ticket(file, spec, ticket);
    ticket = 0;
    return saved;
  }
  if (request.on_busy == OnBusy::join)
    (void)os::try_lock(file.fd(), os::Owner::description, os::LockKind::read, {kJoinByte, 1});
  describe(file, spec, request, now, place, ticket);
  if (request.keep_place_ms > 0) refresh_place(file, spec, request, ticket);
  return {};
}

void give_up_ticket(LockFile& file, const LockSpec& spec, std::uint64_t ticket) {
  if (ticket == 0) return;
  os::unlock(file.fd(), os::Owner::description,
             {queue_start(queue_of(spec)) + static_cast<std::int64_t>(ticket), 1});
  os::unlock(file.fd(), os::Owner::description, {kJoinByte, 1});
  // The heads of other queues, which a writer keeps out, watch the file: unlocking a byte makes no
  // event. Our turn counts no more.
  constexpr std::uint32_t kNoMark = 0;
  if (spec.mode == Mode::exclusive)
    (void)os::write_at(file.fd(), &kNoMark, sizeof kNoMark, turn_mark_at(ticket));
}

Status next_waiter(LockFile& file, std::uint32_t queue, std::uint64_t after, std::uint64_t before,
                   Waiter& to, std::int64_t guarded_ns) {
  to = {};
  const std::int64_t start = queue_start(queue);
  const std::int64_t end = start + static_cast<std::int64_t>(before == 0 ? kMaxTicket : before);
  const std::int64_t low = start + static_cast<std::int64_t>(after) + 1;
  return each_ticket(file, low, end, [&](std::int64_t byte) {
    to.ticket = static_cast<std::uint64_t>(byte - start);
    (void)read_into(file, queue, to, guarded_ns);
    return false;
  });
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

void note_place(LockFile& file, std::uint32_t queue, std::uint64_t ticket, const PlaceNote& place) {
  WaiterRecord record;
  if (!record_of(file, queue, ticket, record)) return;
  if (record.due_boot_ns == place.due && (record.parked != 0) == place.parked) return;
  record.due_boot_ns = place.due;
  record.parked = place.parked ? 1 : 0;
  (void)write_waiter(file.fd(), record);
}

Status count_waiters(LockFile& file, std::uint32_t enough, std::uint32_t& to) {
  to = 0;
  const std::int64_t end = queue_start(kModeQueue + 1);
  return each_ticket(file, kTicketBase, end, [&](std::int64_t) { return ++to < enough; });
}

bool is_superseded(const LockFile& file, std::uint64_t ticket) {
  std::uint64_t newest = 0;
  std::size_t got = 0;
  const auto where = kHeaderAt + static_cast<std::int64_t>(offsetof(Header, superseding_ticket));
  return os::read_at(file.fd(), &newest, sizeof newest, where, got) == 0 && got == sizeof newest &&
         rule::is_before(ticket, newest) && newest <= kMaxTicket;
}

std::int64_t turn_of(LockFile& file, std::uint32_t queue, std::uint64_t ticket) {
  WaiterRecord record;
  return record_of(file, queue, ticket, record) ? turn_in(file, record) : 0;
}

void confirm_turns(LockFile& file, std::uint32_t queue, std::int64_t noted_boot_ns,
                   std::int64_t now_boot_ns) {
  if (!is_prompt(now_boot_ns - noted_boot_ns)) return;
  Waiter waiter;
  while (next_waiter(file, queue, waiter.ticket, 0, waiter).ok() && waiter.ticket != 0) {
    const std::int64_t began = turn_of(file, queue, waiter.ticket);
    if (began == waiter.turn_boot_ns || !noted_at(began, noted_boot_ns)) continue;
    const std::uint32_t mark = turn_mark(began);
    (void)os::write_at(file.fd(), &mark, sizeof mark, turn_mark_at(waiter.ticket));
  }
}

Status next_joiner(LockFile& file, std::uint64_t after, Waiter& to) {
  to = {};
  return each_ticket(file, kTicketBase, queue_start(kModeQueue + 1), [&](std::int64_t byte) {
    const auto queue = static_cast<std::uint32_t>((byte - kTicketBase) >> kTicketBits);
    Waiter found;
    found.ticket = static_cast<std::uint64_t>(byte - queue_start(queue));
    const bool behind = rule::is_before(after, found.ticket);
    const bool nearer = to.ticket == 0 || rule::is_before(found.ticket, to.ticket);
    WaiterRecord record;
    const bool known = behind && nearer && record_of(file, queue, found.ticket, record);
    if (known && record.joins != 0 && read_into(file, queue, found)) to = found;
    return true;
  });
}

Status find_ahead(LockFile& file, std::uint32_t queue, std::uint64_t ticket, bool early,
                  std::uint32_t enough, std::int64_t now_boot_ns, Ahead& to) {
  const std::int64_t start = queue_start(queue);
  to = {};
  for (std::int64_t end = start + static_cast<std::int64_t>(ticket);
       end > start && to.count < enough;) {
    Run run;
    if (const int error = last_locked(file.fd(), start, end, run, os::LockKind::read)) {
      return file.failure(Code::io, error, "cannot query the queue");
    }
    if (!run.found) break;
    end = run.start;
    if (run.end - run.start > 1) continue;
    Waiter waiter;
    waiter.ticket = static_cast<std::uint64_t>(run.start - start);
    if (read_into(file, queue, waiter) && early) waiter.due_boot_ns = 0;
    if (!waiter.claims(now_boot_ns)) continue;
    if (to.ticket == 0) to.ticket = waiter.ticket;
    ++to.count;
  }
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
