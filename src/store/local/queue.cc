#include "queue.h"

#include <cerrno>
#include <cstring>

#include "os/clock.h"
#include "os/interrupt.h"
#include "os/process.h"
#include "os/self.h"
#include "ranges.h"

namespace atmost::local {
namespace {

bool record_of(LockFile& file, std::uint32_t queue, std::uint64_t ticket, WaiterRecord& to) {
  return read_waiter(file.fd(), ticket, to) && to.queue == queue && to.ticket == ticket;
}

bool stopped(const WaiterRecord& record) {
  os::ProcessFacts process;
  if (record.pid <= 1 || os::process_facts(record.pid, process) != 0) return false;
  return process.state == 'T' || process.state == 't';
}

// Milliseconds of uptime (2^20 ns): a start for the count that no earlier ticket of this boot can have passed unless
// more than one was drawn each millisecond ever since, and then the stored count leads.
std::uint64_t ticket_of(const Instant& now) {
  const std::uint64_t by_clock = static_cast<std::uint64_t>(now.boot_ns > 0 ? now.boot_ns : 0) >> 20;
  return by_clock == 0 ? 1 : by_clock;
}

template <std::size_t N>
std::uint8_t copy_text(std::string_view from, char (&to)[N]) {
  const std::size_t size = from.size() < N ? from.size() : N;
  std::memcpy(to, from.data(), size);
  return static_cast<std::uint8_t>(size);
}

void describe(LockFile& file, const LockSpec& spec, const Request& request, const Instant& now,
              std::uint64_t ticket) {
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
  record.id_size = copy_text(request.id, record.id);
  record.command_size = copy_text(request.command, record.command);
  // A full disk costs the listing a line, not the waiter its place.
  (void)write_waiter(file.fd(), record);
}

}  // namespace

Status draw_ticket(LockFile& file, const LockSpec& spec, const Request& request, const Instant& now,
                   std::uint64_t& ticket) {
  constexpr std::uint64_t kAbsurd = kMaxTicket - (1 << 20);
  const std::int64_t start = queue_start(queue_of(spec));
  const std::uint64_t stored = file.header().ticket < kAbsurd ? file.header().ticket : 0;
  const std::uint64_t by_clock = ticket_of(now);
  ticket = stored + 1 > by_clock ? stored + 1 : by_clock;
  // The stored count may have been wiped: whatever it says, we stand behind everybody who is here.
  const auto end = start + static_cast<std::int64_t>(kMaxTicket);
  Run behind;
  int error = last_locked(file.fd(), start + static_cast<std::int64_t>(ticket), end, behind);
  if (error == 0 && behind.found) ticket = static_cast<std::uint64_t>(behind.end - start);
  if (error == 0) {
    error = os::try_lock(file.fd(), os::Owner::description, os::Hold::write,
                         {start + static_cast<std::int64_t>(ticket), 1});
  }
  if (error != 0) {
    ticket = 0;
    return file.failure(Code::io, error, "cannot queue");
  }
  file.header().ticket = ticket;
  if (Status saved = file.save_header(); !saved.ok()) {
    give_up_ticket(file, spec, ticket);
    ticket = 0;
    return saved;
  }
  if (request.on_busy == OnBusy::join) {
    (void)os::try_lock(file.fd(), os::Owner::description, os::Hold::write, {kJoinByte, 1});
  }
  describe(file, spec, request, now, ticket);
  return {};
}

void give_up_ticket(LockFile& file, const LockSpec& spec, std::uint64_t ticket) {
  if (ticket == 0) return;
  os::unlock(file.fd(), os::Owner::description,
             {queue_start(queue_of(spec)) + static_cast<std::int64_t>(ticket), 1});
  os::unlock(file.fd(), os::Owner::description, {kJoinByte, 1});
}

Status claims_before(LockFile& file, std::uint32_t queue, std::uint64_t ticket, std::uint32_t enough,
                     Claims& to) {
  const std::int64_t start = queue_start(queue);
  const std::int64_t end = start + static_cast<std::int64_t>(ticket == 0 ? kMaxTicket : ticket);
  for (std::int64_t low = start; low < end && to.waiters < enough;) {
    Run run;
    if (const int error = first_locked(file.fd(), low, end, run)) {
      return file.failure(Code::io, error, "cannot query the queue");
    }
    if (!run.found) break;
    WaiterRecord record;
    const bool known = record_of(file, queue, static_cast<std::uint64_t>(run.start - start), record);
    if (!known || !stopped(record)) {
      ++to.waiters;
      if (queue == kModeQueue && (!known || record.mode == static_cast<std::uint8_t>(Mode::exclusive)))
        ++to.writers;
      to.slots += known && record.take >= 1 && record.take <= kMaxTake ? record.take : 1;
    }
    low = run.start + 1;
  }
  return {};
}

Status predecessor(LockFile& file, std::uint32_t queue, std::uint64_t ticket, std::uint64_t& to) {
  const std::int64_t start = queue_start(queue);
  to = 0;
  for (std::int64_t end = start + static_cast<std::int64_t>(ticket); end > start;) {
    Run run;
    if (const int error = last_locked(file.fd(), start, end, run)) {
      return file.failure(Code::io, error, "cannot query the queue");
    }
    if (!run.found) return {};
    const auto ahead = static_cast<std::uint64_t>(run.end - 1 - start);
    WaiterRecord record;
    if (!record_of(file, queue, ahead, record) || !stopped(record)) {
      to = ahead;
      return {};
    }
    end = run.end - 1;
  }
  return {};
}

int wait_behind(LockFile& file, std::uint32_t queue, std::uint64_t ahead, std::int64_t boot_deadline_ns) {
  const os::Bytes byte = {queue_start(queue) + static_cast<std::int64_t>(ahead), 1};
  const int error = os::wait_lock_until(file.fd(), os::Owner::description, os::Hold::read, byte,
                                        boot_deadline_ns, file.blocking());
  if (error == 0) os::unlock(file.fd(), os::Owner::description, byte);
  return error;
}

}  // namespace atmost::local
