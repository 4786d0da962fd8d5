#include "holder_stop.h"

#include <cerrno>

#include "holder_scan.h"
#include "os/process.h"

namespace atmost::local {
namespace {

// Set by limiter/ in every command's environment, and inherited by all processes that the command
// starts.
constexpr const char* kTokenVariable = "ATMOST_TOKEN";

// A failure if a read lock of a reader is on the taker's byte of `slot`; otherwise another taker
// has it. Such a reader would be mistaken for a taker that never comes to its end.
Status check_for_reader(const LockFile& file, std::uint32_t slot) {
  os::Conflict conflict;
  const int error = os::query_lock(file.fd(), os::Owner::description, os::LockKind::write,
                                   {takeover_byte(slot), 1}, conflict);
  if (error != 0 || !conflict.found || conflict.write) return {};
  Text<200> words("the holder of slot ");
  words.append_unsigned(slot).append(" cannot be stopped: ");
  if (conflict.pid > 0) {
    words.append("process ").append_signed(conflict.pid);
  } else {
    words.append("an unknown process (atmost explain shows which)");
  }
  words.append(" has a read lock on the byte that its taker locks, as any reader of the file can");
  return file.failure(Code::not_permitted, 0, words);
}

// One step towards the end of the hold `hold` of `slot`. No signal reaches a process on another
// machine; none is sent, not even on this one. From `interrupt` on, the holder is asked to stop, by
// a lock on the byte beside its slot, where it looks about once a second, until that lock ends. A
// holder that does not renew a lease (the original exectimes, a lock taken by file:) does not look
// there: unprovable. REQUIRES: guarded; a file that several machines use.
SignalResult ask_holder(LockFile& file, std::uint32_t slot, std::uint64_t hold, SignalStep step) {
  SignalResult result;
  if (!is_held(file, slot)) return result;
  Record record;
  HolderView holder;
  const bool known = read_record(file.fd(), slot, record);
  if (known) view_of(record, file.identity(), holder);
  result.held = known && holder.token == hold;
  if (!known) result.held = result.unprovable = true;
  result.token = holder.token;
  result.pid = holder.pid;
  result.host = holder.host;
  result.id = holder.id;
  result.command = holder.command;
  result.start = holder.start;
  if (!result.held || !known || step == SignalStep::look) return result;
  result.unprovable = holder.host.empty();
  const bool here = record.boot == file.identity().boot;
  result.ancestor = here && os::is_ancestor(holder.pid);
  if (result.unprovable || result.ancestor || step == SignalStep::prove) return result;
  const int error =
      os::try_lock(file.fd(), os::Owner::description, os::LockKind::write, {ask_byte(slot), 1});
  result.noted = error == 0;
  result.signalled = error == 0 ? 1 : 0;
  return result;
}

}  // namespace

Result<bool> LocalHolderStop::begin(LockFile& file, os::SeenDescendants& seen, std::uint32_t slot,
                                    std::uint64_t hold, StopFor what_for) {
  const auto lock = [&file](std::int64_t byte) {
    return os::try_lock(file.fd(), os::Owner::description, os::LockKind::write, {byte, 1});
  };
  const int error = lock(takeover_byte(slot));
  const Status checked = error == EAGAIN ? check_for_reader(file, slot) : Status();
  if (!checked.ok()) return checked.error();
  if (error == EAGAIN) return false;
  if (error != 0) return file.failure(Code::io, error, "cannot begin to take a slot over");
  // If this lock cannot be had, only a message is less exact.
  if (what_for == StopFor::kill) (void)lock(kill_byte(slot));
  file_ = &file;
  seen_ = &seen;
  slot_ = slot;
  hold_ = hold;
  what_for_ = what_for;
  return true;
}

void LocalHolderStop::close() {
  if (file_->present()) {
    os::unlock(file_->fd(), os::Owner::description, {takeover_byte(slot_), 1});
    if (file_->identity().across)
      os::unlock(file_->fd(), os::Owner::description, {ask_byte(slot_), 1});
    if (what_for_ == StopFor::kill)
      os::unlock(file_->fd(), os::Owner::description, {kill_byte(slot_), 1});
  }
  file_ = nullptr;
}

Result<SignalResult> LocalHolderStop::signal(SignalStep step) {
  if (!file_->present()) return SignalResult{};  // it was replaced: see below
  Result<LockFile::Guarded> guarded = file_->guard();
  if (!guarded.ok()) return guarded.error();
  if (guarded.value() == LockFile::Guarded::replaced)
    return SignalResult{};  // our slot is not in the new file
  if (guarded.value() == LockFile::Guarded::timeout)
    return file_->failure(Code::busy, 0, "its guard is held too long");
  const SignalResult result = file_->identity().across
                                  ? ask_holder(*file_, slot_, hold_, step)
                                  : signal_holder(*file_, slot_, hold_, step, *seen_);
  file_->unguard();
  return result;
}

std::uint32_t LocalHolderStop::survivors(std::span<const std::uint64_t> tokens,
                                         std::span<std::int64_t> to) const {
  return seen_->alive(kTokenVariable, tokens, to);
}

}  // namespace atmost::local
