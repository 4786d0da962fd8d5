#include "slots.h"

#include <cerrno>

#include "queue.h"
#include "ranges.h"

namespace atmost::local {
namespace {

// An exclusive caller needs the whole range to itself; it holds slot 1 and the mode byte.
[[gnu::noinline]] Status reserve_exclusive(LockFile& file, const LockSpec& spec, os::Owner owner,
                                           const Seeker& seeker, Reservation& to) {
  os::Conflict conflict;
  const os::Bytes everything = {kFirstSlotByte, kModeByte + 1 - kFirstSlotByte};
  int error = os::query_lock(file.slot_fd(), owner, os::LockKind::write, everything, conflict);
  if (error == 0 && !conflict.found) {
    error = file.lock_slots(owner, {slot_byte(1), 1});
    if (error == 0) {
      to.insert(1);
      to.words_blank = false;  // not read
      error = file.lock_slots(owner, {kModeByte, 1});
      to.mode_held = error == 0;
    }
  }
  if (error != 0 && error != EAGAIN) return file.failure(Code::io, error, "cannot lock a slot");
  to.has_room = to.mode_held;
  if (to.has_room) return settle_claims(file, spec, owner, seeker, nullptr, to);
  Count count;
  Status counted = count_held(file, 1, kMaxSlots, kMaxSlots, count);
  to.held = count.held;
  return counted;
}

// One query over everything behind the last slot found a lock: queries each kind separately.
// `held`: slots above N.
Status look_beyond(LockFile& file, const LockSpec& spec, const Seeker& seeker, Reservation& to,
                   std::uint32_t& held) {
  os::Conflict conflict;
  const auto ask = [&](std::int64_t start, std::int64_t length, bool& found) {
    const int error = os::query_lock(file.fd(), os::Owner::description, os::LockKind::write,
                                     {start, length}, conflict);
    found = conflict.found;
    return error;
  };
  bool above = false;
  int error = ask(slot_byte(spec.max) + 1, kMaxSlots - spec.max, above);
  if (error == 0) error = ask(kModeByte, 1, to.writer_inside);
  if (error == 0) error = ask(kTakeoverBase, kMaxSlots, to.takeover_running);
  if (error == 0) error = ask(kJoinByte, 1, to.joiner_waiting);
  if (error != 0) return file.failure(Code::io, error, "cannot query locks");
  to.joiner_waiting = to.joiner_waiting && joiner_counts(file, seeker.now_boot_ns);
  if (!above) return {};
  Count count;
  const std::uint32_t enough = spec.max > kCountedAbove ? spec.max : kCountedAbove;
  Status counted = count_held(file, spec.max + 1, kMaxSlots, enough, count);
  held = count.held;
  return counted;
}

}  // namespace

os::Owner owner_for(const Request& request) {
  return request.exec && request.until == Until::close ? os::Owner::process
                                                       : os::Owner::description;
}

Status count_held(LockFile& file, std::uint32_t first, std::uint32_t last, std::uint32_t enough,
                  Count& to) {
  std::int64_t low = slot_byte(first);
  const std::int64_t end = slot_byte(last) + 1;
  while (low < end && to.held < enough) {
    Run run;
    if (const int error = first_locked(file.slot_fd(), low, end, run)) {
      return file.failure(Code::io, error, "cannot query locks");
    }
    if (!run.found) break;
    to.held += static_cast<std::uint32_t>(run.end - run.start);
    to.highest = slot_of(run.end - 1);
    low = run.end;
  }
  return {};
}

void drop(LockFile& file, os::Owner owner, Reservation& reserved) {
  for (std::uint32_t i = 0; i < reserved.count; ++i)
    os::unlock(file.slot_fd(), owner, {slot_byte(reserved.slots[i]), 1});
  if (reserved.mode_held) os::unlock(file.slot_fd(), owner, {kModeByte, 1});
  reserved.count = 0;
  reserved.mode_held = false;
}

namespace {

void give_back_extra(LockFile& file, os::Owner owner, std::uint32_t take, Reservation& to) {
  while (to.count > take) os::unlock(file.slot_fd(), owner, {slot_byte(to.slots[--to.count]), 1});
}

// What is left when something above N is locked. A separate function, because its errors would lie
// on the stack below every search.
[[gnu::noinline]] Status count_others(LockFile& file, const LockSpec& spec, os::Owner owner,
                                      const Seeker& seeker, Search& search, Reservation& to) {
  std::uint32_t above = 0;
  if (Status looked = look_beyond(file, spec, seeker, to, above); !looked.ok()) return looked;
  if (to.takeover_running && seeker.ticket == 0) {
    if (Status searched = search.without_taken_over(spec.take); !searched.ok()) return searched;
  }
  if (to.count < spec.take) {  // every other slot up to N is held or drained
    to.held = spec.max - to.count + above;
  } else if (above > 0 || to.writer_inside) {
    Count below;
    if (Status counted = count_held(file, 1, spec.max, spec.max, below); !counted.ok())
      return counted;
    // A query by description also sees the locks that this process itself holds as a process; where
    // there is only one kind of lock, it does not.
    const bool strangers = owner == os::Owner::process && os::has_description_locks();
    const std::uint32_t own = strangers ? to.count : 0;
    to.held = below.held - own + above;
  }
  to.has_room = to.count >= spec.take && !to.writer_inside && to.held + spec.take <= spec.max;
  return to.has_room ? settle_claims(file, spec, owner, seeker, &search, to) : Status{};
}

[[gnu::noinline]] Status query_failed(const LockFile& file, int error) {
  return file.failure(Code::io, error, "cannot query locks");
}

// Its frame is small, because every search is below it.
[[gnu::noinline]] Status reserve_some(LockFile& file, const LockSpec& spec, os::Owner owner,
                                      const Seeker& seeker, WordBuffer& buffer, Reservation& to) {
  Search search(file, spec, owner, buffer, to);
  if (Status searched = search.until(spec.take); !searched.ok()) return searched;
  os::Conflict conflict;
  const std::int64_t behind = slot_byte(spec.max) + 1;
  if (!search.nothing_behind()) {
    if (const int error = os::query_lock(file.fd(), os::Owner::description, os::LockKind::write,
                                         {behind, 0}, conflict)) {
      return query_failed(file, error);
    }
  }
  if (!conflict.found) {  // no slot above N, no exclusive holder, no takeover, no waiter anywhere
    to.has_room = to.count >= spec.take;
    to.held = to.has_room ? 0 : spec.max - to.count;
    return {};
  }
  return count_others(file, spec, owner, seeker, search, to);
}

}  // namespace

Status reserve(LockFile& file, const LockSpec& spec, os::Owner owner, const Seeker& seeker,
               WordBuffer& buffer, Reservation& to) {
  Status reserved = spec.mode == Mode::exclusive
                        ? reserve_exclusive(file, spec, owner, seeker, to)
                        : reserve_some(file, spec, owner, seeker, buffer, to);
  if (reserved.ok()) {
    give_back_extra(file, owner, spec.take, to);
  } else {
    drop(file, owner, to);
  }
  return reserved;
}

}  // namespace atmost::local
