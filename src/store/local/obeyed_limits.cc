// LocalSession: the limits of record that hold at a look. Apart from the rest of it, so that
// callers of locks without such limits touch no page of this.
#include "places.h"
#include "queue.h"
#include "roll.h"
#include "session.h"

namespace atmost::local {
namespace {

// Without -n, a caller that takes several slots has only the limit of record to take them of.
bool needs_limit(const LockSpec& lock) {
  return lock.mode == Mode::plain && lock.take > lock.max && lock.max > 0 && !lock.max_given;
}
constexpr std::string_view kNeedsLimit =
    "--take: more slots than one, and the lock has no limit of record (atmost limit): use --max N "
    "with an N as large";
constexpr std::string_view kNeedsNames =
    "--env: its slots have no names: atmost limit --names A,B,C gives them some";

// Moves a place to the queue of `to`. Numbers are drawn for all queues together, so that it stays
// before all who came later.
Status move_ticket(LockFile& file, std::uint32_t from, const LockSpec& to, std::uint64_t ticket) {
  const std::uint32_t queue = queue_of(to);
  const auto number = static_cast<std::int64_t>(ticket);
  const int error = os::try_lock(file.fd(), os::Owner::description, os::LockKind::write,
                                 {queue_start(queue) + number, 1});
  if (error != 0) return file.failure(Code::io, error, "cannot queue");
  WaiterRecord record;
  if (read_waiter(file.fd(), ticket, record) && record.ticket == ticket && record.queue == from) {
    record.queue = queue;
    record.max = to.max;
    (void)write_waiter(file.fd(), record);
  }
  os::unlock(file.fd(), os::Owner::description, {queue_start(from) + number, 1});
  return {};
}

}  // namespace

Status LocalSession::obey_limits(const Ticket* queue) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    const bool needs = needs_limit(request_->locks[i]) || (i == 0 && wants_names(*request_));
    if (!entry(i).limited && !entry(i).file.has_limit() && !needs) continue;
    if (Status obeyed = obey_limit(i, queue); !obeyed.ok()) return obeyed;
  }
  return {};
}

// Our place goes from queue to queue with it.
Status LocalSession::obey_limit(std::uint32_t lock, const Ticket* queue) {
  Entry& at = entry(lock);
  const std::uint32_t before = queue_of(spec_of(lock));
  RecordedLimit limit;
  bool limited = false;
  const std::span<char> room = limits_.it.texts[lock == 0 ? 0 : 1];
  if (Status read = read_limit(at.file, room, limit, limited); !read.ok()) return read;
  const LockSpec& own = request_->locks[lock];
  if (!limited && needs_limit(own)) return error_of(Code::usage, 0, kNeedsLimit);
  if (lock == 0 && limit.names.empty() && wants_names(*request_))
    return at.file.failure(Code::usage, 0, kNeedsNames);
  LockSpec now = own;
  if (limited) {
    at.limit = limit;
    if (lock != 0) at.limit.names = {};  // their text is overwritten, and nobody asks
    now = rule::limited(own, at.limit);
  }
  const std::uint32_t after = queue_of(now);
  const bool moves = queue != nullptr && queue->drawn && before != after;
  if (moves) {
    if (Status moved = move_ticket(at.file, before, now, queue->numbers[lock]); !moved.ok())
      return moved;
  }
  if (moves && request_->keep_place_ms > 0)
    refresh_place(at.file, now, *request_, queue->numbers[lock]);
  at.limited = limited;
  at.spec = now;
  if (!moves) return {};
  // Those behind us there have to move, too.
  Called called;
  call_next(at.file, {before, 0, false, turn_clock(moment_(*request_)).record_ns}, 1, called);
  if (lock == position_.lock) position_ = {.lock = lock, .leads = true};
  return {};
}

}  // namespace atmost::local
