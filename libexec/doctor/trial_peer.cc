#include "trial_peer.h"

#include "os/clock.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/occupancy.h"
#include "os/self.h"
#include "os/spawn.h"
#include "store/local/layout.h"

namespace atmost::doctor {
namespace {

using local::kIndexAt;
using local::kWordsAt;
using local::slot_byte;
using local::word_at;

struct Order {
  TrialCommand command;
  std::int32_t padding;
  os::Bytes bytes;
};

// The arguments of a peer: read in the forked copy of our memory.
struct PeerStart {
  std::string path;
  bool inherits = false;
};

std::int32_t take_word(int fd) {
  constexpr std::uint32_t kFirst = 0;
  if (os::register_words(fd, kWordsAt, &kFirst, 1) != 1) return 1;
  const std::uint32_t self = os::thread_id();
  return os::write_at(fd, &self, sizeof self, word_at(1));
}

std::int32_t exec_cat(int fd) {
  char name[] = "cat";
  char* argv[] = {name, nullptr};
  return os::become({argv, os::environment(), &fd, 1});
}

std::int32_t perform(const PeerStart& start, const Order& order, os::Fd& file) {
  constexpr os::Owner kOwner = os::Owner::description;
  const int fd = file.get();
  switch (order.command) {
    case TrialCommand::nothing:
      return 0;
    case TrialCommand::open:
      return os::open_existing(start.path.c_str(), file);
    case TrialCommand::write: {
      const std::uint64_t index = slot_byte(1);
      return os::write_at(fd, &index, sizeof index, kIndexAt);
    }
    case TrialCommand::lock:
      return os::try_lock(fd, kOwner, os::LockKind::write, order.bytes);
    case TrialCommand::lock_as_process: {
      const int error = os::try_lock(fd, os::Owner::process, os::LockKind::write, order.bytes);
      if (error == 0) os::unlock(fd, os::Owner::process, order.bytes);
      return error;
    }
    case TrialCommand::query: {
      os::Conflict conflict;
      const int error = os::query_lock(fd, kOwner, os::LockKind::write, order.bytes, conflict);
      return error != 0 ? error : conflict.found ? kFound : kFree;
    }
    case TrialCommand::wait:
      return os::wait_lock(fd, kOwner, os::LockKind::write, order.bytes);
    case TrialCommand::unlock:
      return os::unlock(fd, kOwner, order.bytes);
    case TrialCommand::take_word:
      return take_word(fd);
    case TrialCommand::exec_cat:
      return exec_cat(fd);
  }
  return 0;
}

void act(void* context) {
  const PeerStart& start = *static_cast<const PeerStart*>(context);
  os::Fd file(start.inherits ? os::Child::kKept : -1);
  for (Order order; os::receive(&order, sizeof order);) {
    const std::int32_t result = perform(start, order, file);
    if (!os::report(&result, sizeof result)) return;
  }
}

}  // namespace

int TrialPeer::start(const std::string& path, int inherit) {
  PeerStart start = {path, inherit >= 0};
  return child_.start(act, &start, inherit);
}

void TrialPeer::tell(TrialCommand command, os::Bytes bytes) {
  const Order order = {command, 0, bytes};
  (void)child_.order(&order, sizeof order);  // the peer has ended: no answer comes
}

std::int32_t TrialPeer::answer(std::int64_t patience_ns) {
  std::int32_t result = kGone;
  std::size_t got = 0;
  // Four bytes fit into a pipe in one piece (PIPE_BUF, pipe(7)).
  switch (child_.listen(&result, sizeof result, got, os::boot_ns() + patience_ns)) {
    case os::Child::Heard::some:
      return got == sizeof result ? result : kGone;
    case os::Child::Heard::silent:
      return kSilent;
    case os::Child::Heard::ended:
      break;
  }
  return kGone;
}

std::int32_t TrialPeer::ask_raw() {
  const std::int32_t sent = 0;
  (void)child_.order(&sent, sizeof sent);
  return answer();
}

}  // namespace atmost::doctor
