#include "session.h"

#include <cerrno>
#include <new>
#include <utility>

#include "os/futex.h"
#include "os/room.h"
#include "os/threads.h"

namespace atmost::local {
namespace {

// The other processes that may get the descriptors, if the program has not chosen them itself. A
// file that several machines use is also opened by other threads of the program.
Heirs heirs_of(const Request& request) {
  const bool keeps =
      request.exec || request.close_fd || request.looks_only || request.kept_for != 0;
  if (keeps) return Heirs::nobody;
  if (request.kind == HolderKind::library) return Heirs::forks;
  if (request.kind != HolderKind::supervised) return Heirs::nobody;
  return request.across ? Heirs::forks : Heirs::command;
}

constexpr LockFile::Access access_for(OpenTo how) {
  return how == OpenTo::make     ? LockFile::Access::create
         : how == OpenTo::change ? LockFile::Access::modify
                                 : LockFile::Access::look;
}

}  // namespace

Result<Owned<LocalSession>> open_session(const Request& request, OpenTo how) {
  void* room = os::take_room(sizeof(LocalSession));
  if (room == nullptr) return error_of(Code::io, ENOMEM, "there is no memory to open the lock");
  auto* session = new (room) LocalSession;
  session->in_room_ = true;
  Owned<LocalSession> owned(session);
  if (Status opened = session->open(request, how); !opened.ok()) return opened.error();
  return owned;
}

void LocalSession::set_blocking(os::Blocking blocking) {
  blocking_ = blocking;
  for (std::uint32_t i = 0; i < made_; ++i) entry(i).file.set_blocking(blocking);
}

void LocalSession::set_heirs(Heirs heirs, os::Mutex* opening) {
  heirs_ = heirs;
  opening_ = opening;
}

Status LocalSession::open(const Request& request, OpenTo how) {
  const bool again = kept_ && forks_ == os::fork_count() && request.lock_count == 1 &&
                     entry(0).file.serves(request.locks[0], request);
  kept_ = false;
  if (!again) close_files();
  request_ = &request;
  open_to_ = how;
  owner_ = owner_for(request);
  if (opening_ == nullptr) heirs_ = heirs_of(request);
  making_ = {request.make_parents || wants_stats(request), request.create_mode};
  return open_files();
}

// Opens the file of one lock, and inserts it into the order of guards.
Status LocalSession::open_file(std::uint32_t lock) {
  if (lock == made_) {
    new (&entry(made_)) Entry;
    new (&held(made_)) HeldLock;
    entry(made_).reserved.slots = held(made_).slots;
    ++made_;
    entry(lock).file.set_blocking(blocking_);
  }
  entry(lock).limited = false;
  LockFile& file = entry(lock).file;
  file.set_heirs(heirs_, opening_);
  count_ = lock + 1;
  if (Status opened = file.open(request_->locks[lock], *request_, access_for(open_to_));
      !opened.ok()) {
    return opened;
  }
  std::uint32_t at = lock;
  for (; at > 0; --at) {
    const Identity& a = entry(order_[at - 1]).file.identity();
    const Identity& b = file.identity();
    if (a.device == b.device && a.inode == b.inode)
      return file.failure(Code::usage, 0, "is the same lock as another one named here");
    if (a.device < b.device || (a.device == b.device && a.inode < b.inode)) break;
    order_[at] = order_[at - 1];
  }
  order_[at] = lock;
  return {};
}

Status LocalSession::open_files() {
  if (opened_) return {};
  if (keeps_) forks_ = os::fork_count();
  for (std::uint32_t i = 0; i < request_->lock_count; ++i) {
    if (Status opened = open_file(i); !opened.ok()) {
      close_files();
      return opened;
    }
  }
  opened_ = true;
  return {};
}

void LocalSession::close_files() {
  for (std::uint32_t i = 0; i < count_; ++i) {
    Entry& each = entry(i);
    // A detached hold: the words must not name this thread, and their mapping keeps the file.
    if (each.words_registered) {
      (void)clear_own_words(i);
      os::forget_words();
    }
    each.words_registered = false;
    each.file.close();
    each.reserved.clear();
  }
  count_ = 0;
  watch_.stop();
  opened_ = false;
}

void LocalSession::end(const End& what) {
  if (what.of == End::Of::place) {
    if (request_->keep_place_ms > 0) leave_place(*what.ticket);
    return leave_queue(*what.ticket);
  }
  if (what.of == End::Of::hold) return release(what);
  close_files();
  if (!in_room_) return;
  this->~LocalSession();
  os::give_room(this, sizeof(LocalSession));
}

void LocalSession::close_private() {
  for (std::uint32_t i = 0; i < count_; ++i) entry(i).file.close_private();
}

Result<LockFile::Guarded> LocalSession::guard_all(std::uint32_t& culprit) {
  // The original waits for its mutex, which is the guard, without a limit; a signal ends this wait
  // like any other.
  LockFile::Patience patience;
  if (request_->foreign_format) patience.ns = Duration::kForever;
  patience.refuses_foreign = !request_->foreign_format;
  for (std::uint32_t i = 0; i < count_; ++i) {
    culprit = order_[i];
    Result<LockFile::Guarded> guarded = entry(culprit).file.guard(patience);
    if (!guarded.ok() || guarded.value() != LockFile::Guarded::held) {
      unguard_all();
      return guarded;
    }
  }
  return LockFile::Guarded::held;
}

void LocalSession::unguard_all() {
  for (std::uint32_t i = count_; i > 0; --i) entry(order_[i - 1]).file.unguard();
}

Result<Owned<HolderStop>> LocalSession::stop(std::uint32_t lock, std::uint32_t slot,
                                             std::uint64_t hold, StopFor what_for) {
  if (Status opened = open_files(); !opened.ok()) return opened.error();
  std::uint32_t free = 0;
  if (!std::exchange(stops_made_, true)) new (&stops_.it) Stops;
  while (free < kMaxVictims && stops_.it.each[free].begun()) ++free;
  if (free == kMaxVictims)
    return error_of(Code::internal, 0, "too many holders are being stopped at once");
  LocalHolderStop& stop = stops_.it.each[free];
  Result<bool> begun = stop.begin(entry(lock).file, stops_.it.seen, slot, hold, what_for);
  if (!begun.ok()) return begun.error();
  return begun.value() ? Owned<HolderStop>(&stop) : Owned<HolderStop>();
}

}  // namespace atmost::local
