// LockFile: its descriptions (docs/internals/lock-map.md) and its guard.
#include <cerrno>

#include "core/words.h"
#include "lock_file.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/self.h"
#include "os/waiting.h"

namespace atmost::local {
namespace {

// When a caller that waits for the guard looks whether it can be had at all: the guard is held for
// less than the first pause, a foreign lock for longer.
constexpr std::int64_t kFirstGuardLookNs = 20'000'000;
constexpr std::int64_t kGuardLookNs = 250'000'000;

}  // namespace

void LockFile::close_own(os::Fd& fd) {
  if (fd.open() && exposed_ && !is_ours(fd)) return;
  fd.reset();
}

void LockFile::close() {
  const Opening gate(opening_);
  bells_.close();
  low_.reset();
  close_own(fd_);
  close_own(shared_);
  exposed_ = false;
  mark_ = 0;
}

// True if the descriptor still is the one that we opened. If it is not, it is given up. Without any
// mark it is recognized by its file; with the mark of another hold it may be of the same file.
bool LockFile::is_ours(os::Fd& fd) {
  const os::Marked mark = os::marked(fd.get(), mark_);
  struct stat status;
  if (mark == os::Marked::so) return true;
  if (mark == os::Marked::none && os::file_status_untimed(fd.get(), status) == 0 &&
      static_cast<std::uint64_t>(status.st_dev) == identity_.device &&
      static_cast<std::uint64_t>(status.st_ino) == identity_.inode)
    return true;
  (void)fd.release();
  return false;
}

bool LockFile::know_descriptors() {
  const bool shared = !shared_.open() || is_ours(shared_);
  return is_ours(fd_) && shared;
}

// As far as open() examines it.
bool LockFile::is_unchanged(const struct stat& status) const {
  return status.st_nlink == 1 && status.st_uid == file_user_ && status.st_mode == file_mode_;
}

// The descriptors are examined when they are needed. Another change of the file is
// seen by the look at its path, which guard() takes anyway.
bool LockFile::serves(const LockSpec& spec, const Request& request) {
  if (!fd_.open() || !shared_.open() || path_.view() != spec.path.view()) return false;
  const bool plain = !request.looks_only && !request.only_stops && !request.foreign_format &&
                     !request.with_flock && request.trust_fs == trusted_blindly_;
  if (!plain || !may_stay_open() || user_ != os::user_id()) return false;
  path_ = spec.path;
  name_known_ = known_ = false;
  guarded_ = was_empty_ = false;
  state_ = HeaderState::fresh;
  return true;
}

void LockFile::keep_path(PathText& room) {
  if (path_.c_str() == room.c_str()) return;
  room.assign(path_);
  path_ = room;
}

void LockFile::expose() {
  known_ = false;
  if (exposed_) return;
  // A child that is forked meanwhile must not take a marked descriptor for another one's.
  const Opening gate(opening_);
  exposed_ = true;
  if (!may_stay_open()) return;
  mark_ = os::mark_descriptor(fd_.get());
  if (mark_ == 0 || os::copy_mark(shared_.get(), mark_)) return;
  (void)os::copy_mark(fd_.get(), 0);
  mark_ = 0;
}

void LockFile::set_heirs(Heirs heirs, os::Mutex* opening) {
  heirs_ = heirs;
  opening_ = opening;
}

// Keeps it away from the numbers that scripts use, where a command or the program around us could
// meet it. For a command, lend() does that.
int LockFile::keep_apart() {
  if (heirs_ == Heirs::command) return 0;
  const Opening gate(opening_);
  return os::move_high(fd_);
}

int LockFile::open_shared() {
  const Opening gate(opening_);
  os::Fd again;
  struct stat status;
  int error = os::open_existing(path(), again);
  if (error == 0) error = os::file_status(again.get(), status);
  if (error == 0 && (static_cast<std::uint64_t>(status.st_dev) != identity_.device ||
                     static_cast<std::uint64_t>(status.st_ino) != identity_.inode)) {
    error = ESTALE;
  }
  if (error == 0) error = os::move_high(again);
  if (error == 0) shared_ = static_cast<os::Fd&&>(again);
  return error == ENOENT ? ESTALE : error;
}

int LockFile::lock_slots(os::Owner owner, os::Bytes bytes) {
  if (read_only_) {
    os::Conflict conflict;
    const int error = os::query_lock(fd_.get(), owner, os::LockKind::write, bytes, conflict);
    return error == 0 && conflict.found ? EAGAIN : error;
  }
  if (shares() && !shared_.open()) {
    if (const int error = open_shared()) return error;
  }
  return os::try_lock(slot_fd(), owner, os::LockKind::write, bytes);
}

// The close of the first descriptor drops what belongs to the process: the guard, as wanted, but
// also proof bytes. If the descriptor is not moved, the command's copy is (os::Program::apart).
void LockFile::lend() {
  if (heirs_ != Heirs::command || !os::has_description_locks() || several_may_write_) return;
  if (!low_.open()) (void)os::copy_high(fd_, low_);
}

void LockFile::close_private() {
  bells_.forget();
  if (!shares()) return;
  close_own(fd_);
}

// For whom the guard has a foreign lock.
bool LockFile::has_foreign_guard(const Patience& patience) const {
  os::Conflict conflict;
  return patience.refuses_foreign &&
         os::query_lock(fd_.get(), guard_owner(), os::LockKind::write, kGuard, conflict) == 0 &&
         conflict.found && !is_on_the_map(conflict);
}

Result<LockFile::Guarded> LockFile::lock_guard(Patience& patience) {
  if (!known_ && !know_descriptors()) return Guarded::replaced;
  known_ = true;
  // A process that may not write must not exclude those that may: it reads without the guard, as
  // listings do.
  int error = read_only_ ? 0 : os::try_lock(fd_.get(), guard_owner(), os::LockKind::write, kGuard);
  if (error == EAGAIN && blocking_ == os::Blocking::never)
    return has_foreign_guard(patience) ? Guarded::foreign : Guarded::timeout;
  for (std::int64_t pause_ns = kFirstGuardLookNs; error == EAGAIN || error == EINTR;) {
    const std::int64_t now = os::boot_ns();
    std::int64_t& until = patience.until_boot_ns;
    if (until == 0) until = plus(now, {patience.ns});
    if (now >= until) return Guarded::timeout;
    const std::int64_t look = patience.refuses_foreign ? plus(now, {pause_ns}) : until;
    error = os::wait_lock_until(fd_.get(), guard_owner(), os::LockKind::write, kGuard,
                                look < until ? look : until, blocking_);
    if (error == EINTR && has_foreign_guard(patience)) return Guarded::foreign;
    pause_ns = kGuardLookNs;
  }
  if (error != 0) return failure(Code::io, error, "cannot lock the guard");
  guarded_ = true;
  return Guarded::held;
}

namespace {

bool is_held(const Result<LockFile::Guarded>& answer) {
  return answer.ok() && answer.value() == LockFile::Guarded::held;
}

}  // namespace

// Both give the guard, which is held, back unless they answer that it is.
Result<LockFile::Guarded> LockFile::read_guarded() {
  const Status read = refresh();
  if (read.ok()) return Guarded::held;
  unguard();
  return read.error();
}

Result<LockFile::Guarded> LockFile::check_name() {
  bool same = false;
  struct stat status;
  const int failed = leads_here(same, status);
  if (failed == 0 && same && (name_known_ || is_unchanged(status))) {
    name_known_ = true;
    has_limit_ = (status.st_mode & S_ISVTX) != 0;
    return Guarded::held;
  }
  unguard();
  if (failed == 0) return Guarded::replaced;
  return failure(code_for(failed), failed, "cannot examine the path");
}

Result<LockFile::Guarded> LockFile::guard(Patience& patience) {
  Result<Guarded> answer = lock_guard(patience);
  if (is_held(answer)) answer = check_name();
  return is_held(answer) ? read_guarded() : answer;
}

Result<LockFile::Guarded> LockFile::guard_wherever() {
  Patience patience;
  const Result<Guarded> answer = lock_guard(patience);
  return is_held(answer) ? read_guarded() : answer;
}

// Only checks the name. The file behind the descriptor was examined when it was opened, and does
// not change.
int LockFile::leads_here(bool& same, struct stat& status) const {
  same = false;
  if (const int error = os::path_status_untimed(path(), status)) return error == ENOENT ? 0 : error;
  same = static_cast<std::uint64_t>(status.st_dev) == identity_.device &&
         static_cast<std::uint64_t>(status.st_ino) == identity_.inode;
  return 0;
}

int LockFile::mark_limit(bool on) {
  struct stat status;
  if (const int error = os::file_status(fd_.get(), status)) return error;
  constexpr unsigned kRights = 07777;
  const unsigned others = status.st_mode & kRights & ~static_cast<unsigned>(S_ISVTX);
  const int error = os::set_mode(fd_.get(), others | (on ? S_ISVTX : 0));
  if (error == 0) has_limit_ = on;
  return error;
}

bool LockFile::displaced() const {
  bool same = false;
  struct stat status;
  return leads_here(same, status) == 0 && !same;
}

void LockFile::unguard() {
  if (!guarded_) return;
  guarded_ = false;
  if (low_.open()) {
    low_.reset();
  } else {
    os::unlock(fd_.get(), guard_owner(), kGuard);
  }
}

void LockFile::unlock_all(bool stays_open) {
  guarded_ = false;
  if (shared_.open()) os::unlock(shared_.get(), os::Owner::description, {0, 0});
  os::unlock(fd_.get(), os::Owner::description, {0, 0});
  // A lock that belongs to the process is dropped by the close, which walks the list of locks
  // anyway.
  if (guard_owner() != os::Owner::process || !os::has_description_locks()) return;
  if (stays_open) {
    os::unlock(fd_.get(), os::Owner::process, kGuard);
  } else {
    close();
  }
}

}  // namespace atmost::local
