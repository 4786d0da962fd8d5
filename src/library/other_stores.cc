// A lock of the C library in another store than files.
#include <cerrno>

#include "lock.h"
#include "os/host.h"
#include "os/packets.h"
#include "os/self.h"
#include "os/spawn.h"

namespace atmost::limiter {

// On NFS, `atmost run` uses the store of such directories by itself, since it can stop its command
// in time. The program has to choose that: it may lose the lock, and has to listen for that.
[[gnu::cold]] Error LibraryLock::with_store_named(const Error& error) const {
  if (error.sys != EREMOTE) return error;
  PathText path, url;
  for (std::uint32_t i = 0; i < request_.lock_count; ++i) {
    if (!absolute_path(request_.locks[i].path, path) ||
        !find_shared_store(local::parent_of(path), url))
      continue;
    Error named = error_of(Code::io, EREMOTE, request_.locks[i].path);
    named.message.append(": is on NFS, where a lock can be lost: set store to \"");
    named.message.append(url).append("\", and on_lost");
    return named;
  }
  return error;
}

Status LibraryLock::open_link() {
  Result<Owned<symlink::SymlinkSession>> opened = symlink::open_session(request_);
  if (!opened.ok()) return opened.error();
  link_ = std::move(opened.value());
  return {};
}

bool LibraryLock::held_in_fleet() const {
  if (inherited()) return fleet_->is_held();
  const os::Locked locked(mutex_);
  return fleet_->is_held();
}

// `atmost run` writes the history.
Outcome LibraryLock::get_in_fleet(const os::WaitGate* gate) {
  Outcome outcome = fleet_->ask(request_, gate);
  if (outcome.kind == Outcome::Kind::ran) hold_in_fleet(outcome);
  return outcome;
}

void LibraryLock::hold_in_fleet(Outcome& outcome) {
  token_ = outcome.token;
  slot_ = outcome.slot;
  owner_ = os::process_id();
  ending_ = false;
  listening_ = false;
  if (on_lost_ != nullptr) begin_to_listen(outcome);
}

// The connection stays open until the listener has ended.
bool LibraryLock::let_go_in_fleet(Ending ending, Stopped stopped) {
  if (inherited()) {
    mutex_.begin_anew();
    fleet_->close();
    over_.close();
    return false;
  }
  const os::Locked locked(mutex_);
  const bool was_held = !ending_;
  ending_ = true;
  if (stopped != Stopped::no) {
    fleet_->close();
  } else if (was_held) {
    fleet_->let_go(ending == Ending::success);
  }
  return was_held;
}

void LibraryLock::wait_for_end(os::Watch& watch, std::int64_t span_ns) {
  const int over = over_.fd(os::WakePair::End::far);
  const int span_ms = static_cast<int>(span_ns / 1'000'000) + 1;
  if (in_files()) {
    (void)watch.wait(span_ns);
  } else if (in_fleet()) {
    os::wait_for_either(over, fleet_->descriptor(), span_ms);
  } else {
    os::await_hangup(over, span_ms);
  }
}

// Under the mutex. `watch` begins with the first call.
bool LibraryLock::is_revoked(os::Watch& watch) {
  if (in_fleet()) return !fleet_->is_held();
  return in_files() && session_.revoked(watch);
}

}  // namespace atmost::limiter
