// The doctor's trials: how the kernel treats locks of several processes on one file.
#include "try_locks.h"

#include <cerrno>
#include <csignal>

#include "examination.h"
#include "message.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/futex.h"
#include "os/locks.h"
#include "os/self.h"
#include "os/spawn.h"
#include "os/watch.h"
#include "store/local/hints.h"
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

namespace {

using local::queue_start;
using local::read_words;
using local::Word;
using local::word_lives;

constexpr os::Owner kOwner = os::Owner::description;
constexpr os::Bytes kSlotOne = {slot_byte(1), 1};
constexpr os::Bytes kSlotTwo = {slot_byte(2), 1};
constexpr std::int64_t kEventNs = 500'000'000;

constexpr std::string_view kUseLocal = "use a directory on a local filesystem";

void judge(bool good, std::string_view check, std::string_view what, std::string_view otherwise,
           std::string_view why) {
  if (good) {
    report_good(check, what);
  } else {
    send({Level::bad, check, otherwise, why, kUseLocal});
  }
}

bool lock_here(int fd, os::Bytes bytes) {
  return os::try_lock(fd, kOwner, os::LockKind::write, bytes) == 0;
}

void try_events(const TrialFile& file, TrialPeer& other) {
  if (!os::has_description_locks() || !file.written) return;
  os::Watch watch;
  watch.start(file.path.c_str());
  if (!watch.sees()) return;  // examine_machine reports that
  const bool written = other.ask(TrialCommand::write) == 0;
  if (written && watch.wait(kEventNs) != os::Noticed::nothing) {
    report_good("events", "a write by another process is noticed at once");
  } else {
    send({Level::doubtful, "events", "a write by another process is not noticed",
          "waiters are not woken: they look once a second", kUseLocal});
  }
}

void try_two_openers(const TrialFile& file, TrialPeer& other) {
  const bool held = lock_here(file.fd.get(), kSlotOne);
  const bool refused = other.ask(TrialCommand::lock, kSlotOne) == EAGAIN &&
                       other.ask(TrialCommand::query, kSlotOne) == kFound;
  const bool foreign =
      !os::has_description_locks() || other.ask(TrialCommand::lock_as_process, kSlotOne) == EAGAIN;
  os::unlock(file.fd.get(), kOwner, kSlotOne);
  const bool freed = other.ask(TrialCommand::lock, kSlotOne) == 0;
  const bool back = os::try_lock(file.fd.get(), kOwner, os::LockKind::write, kSlotOne) == EAGAIN;
  other.ask(TrialCommand::unlock, kSlotOne);
  judge(held && refused && freed && back, "two-openers",
        "two processes that open one file see each other's locks",
        "two processes that open one file do not see each other's locks", "more than N would run");
  judge(foreign, "both-kinds", "locks of a process and of a description exclude each other",
        "locks of a process and of a description do not exclude each other",
        "exectimes and atmost would not see each other");
}

void try_far_bytes(const TrialFile& file, TrialPeer& other) {
  const os::Bytes far = {queue_start(5) + 17, 1};
  const os::Bytes beside = {queue_start(5) + 18, 1};
  const bool good = lock_here(file.fd.get(), far) &&
                    other.ask(TrialCommand::query, far) == kFound &&
                    other.ask(TrialCommand::query, beside) == kFree;
  os::unlock(file.fd.get(), kOwner, far);
  judge(good, "far-bytes", "each byte far behind the end of a file can be locked",
        "bytes far behind the end of the file cannot be locked", "waiters queue there");
}

void try_waiting(const TrialFile& file, TrialPeer& other) {
  constexpr std::int64_t kAMomentNs = 20'000'000;
  const bool held = lock_here(file.fd.get(), kSlotOne);
  other.tell(TrialCommand::wait, kSlotOne);
  const bool waited = other.answer(kAMomentNs) == TrialPeer::kSilent;
  os::unlock(file.fd.get(), kOwner, kSlotOne);
  const bool woken = other.answer() == 0;
  other.ask(TrialCommand::unlock, kSlotOne);
  judge(held && waited && woken, "waiting",
        "a process that waits for a lock gets it at its release",
        "a process that waits for a lock is not woken when it is released", "waiters would hang");
}

// REQUIRES: the file still has its name, to be opened by once more.
bool survives_close(const TrialFile& file) {
  const bool held = lock_here(file.fd.get(), kSlotOne);
  os::Fd again;
  return held && os::open_existing(file.path.c_str(), again) == 0;
}

void try_kill(const TrialFile& file, TrialPeer& other, TrialPeer& holder) {
  const bool held = holder.ask(TrialCommand::lock, kSlotTwo) == 0;
  const bool words = os::has_description_locks() && holder.ask(TrialCommand::take_word) == 0;
  Word word;
  const bool alive = words && read_words(file.fd.get(), 1, 1, &word) == 0 && word_lives(word);
  const bool seen = other.ask(TrialCommand::query, kSlotTwo) == kFound;
  holder.kill();
  judge(held && seen && other.ask(TrialCommand::query, kSlotTwo) == kFree, "kill",
        "SIGKILL of a holder frees its slot at once", "SIGKILL of a holder does not free its slot",
        "dead holders would keep everybody out");
  if (!os::has_description_locks() || !file.written) return;
  if (alive && read_words(file.fd.get(), 1, 1, &word) == 0 && !word_lives(word)) {
    report_good("words", "the kernel marks the occupancy word of a killed holder");
  } else {
    send({Level::doubtful,
          "words",
          "the kernel does not mark the occupancy word of a killed holder",
          "refusals ask about every slot and take longer",
          {}});
  }
}

// Last: it passes the description of `fd` on, and with it our own lock.
void try_inheritance(os::Fd& fd, TrialPeer& other) {
  TrialPeer heir;
  if (!lock_here(fd.get(), kSlotOne) || heir.start({}, fd.get()) != 0 ||
      heir.ask(TrialCommand::nothing) != 0) {
    send({Level::bad, "fork", "no process could be started with the file", {}, "try again"});
    return;
  }
  fd.reset();
  judge(other.ask(TrialCommand::query, kSlotOne) == kFound, "fork",
        "a lock lives on in a child that inherited the descriptor",
        "a lock ends though a child has inherited the descriptor",
        "a slot would be free while its command runs");
  heir.tell(TrialCommand::exec_cat);
  if (heir.ask_raw() == 0) {
    judge(other.ask(TrialCommand::query, kSlotOne) == kFound, "exec", "a lock is kept across exec",
          "a lock is lost by exec", "a slot would be free while its command runs");
  } else {
    send({Level::doubtful, "exec", "not tried: there is no cat to become", {}, {}});
  }
  heir.kill();
  judge(other.ask(TrialCommand::query, kSlotOne) == kFree, "last-heir",
        "a lock ends with the last process that has its descriptor",
        "the lock outlives the last process that has the descriptor",
        "dead holders would keep everybody out");
}

}  // namespace

void try_locks(TrialFile& file, bool& removed) {
  TrialPeer other;
  TrialPeer holder;
  const bool started = other.start(file.path) == 0 && holder.start(file.path) == 0;
  const bool opened =
      started && other.ask(TrialCommand::open) == 0 && holder.ask(TrialCommand::open) == 0;
  if (!opened) {
    send({Level::bad, "two-openers", "another process could not open the file", {}, "try again"});
    return;
  }
  try_events(file, other);
  const bool kept = os::has_description_locks() && survives_close(file);
  removed = os::remove_name(file.path.c_str()) == 0;  // the trials go on with the open descriptors
  if (os::has_description_locks()) {
    judge(kept && other.ask(TrialCommand::query, kSlotOne) == kFound, "close",
          "a lock survives a close of another descriptor of its file",
          "a lock does not survive the close of another descriptor of the file",
          "a look at the file would free the slot");
    os::unlock(file.fd.get(), kOwner, kSlotOne);
  }
  try_two_openers(file, other);
  try_far_bytes(file, other);
  try_waiting(file, other);
  try_kill(file, other, holder);
  if (os::has_description_locks()) try_inheritance(file.fd, other);
  other.kill();
}

}  // namespace atmost::doctor
