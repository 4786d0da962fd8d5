#include "actor.h"

#include "layout.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/occupancy.h"
#include "os/self.h"
#include "os/spawn.h"

namespace atmost::local {
namespace {

struct Order {
  Deed deed;
  std::int32_t padding;
  os::Bytes bytes;
};

// What an actor is started with: read in the forked copy of our memory.
struct Role {
  PathText path;
  bool inherits = false;
};

std::int32_t take_word(int fd) {
  constexpr std::uint32_t kFirst = 0;
  if (os::register_words(fd, kWordsAt, &kFirst, 1) != 1) return 1;
  const std::uint32_t self = os::thread_id();
  return os::write_at(fd, &self, sizeof self, word_at(1));
}

std::int32_t become_cat(int fd) {
  char name[] = "cat";
  char* argv[] = {name, nullptr};
  return os::become({argv, os::environment(), &fd, 1});
}

std::int32_t perform(const Role& role, const Order& order, os::Fd& file) {
  constexpr os::Owner kOwner = os::Owner::description;
  const int fd = file.get();
  switch (order.deed) {
    case Deed::nothing:
      return 0;
    case Deed::open:
      return os::open_existing(role.path.c_str(), file);
    case Deed::write: {
      const std::uint64_t index = slot_byte(1);
      return os::write_at(fd, &index, sizeof index, kIndexAt);
    }
    case Deed::lock:
      return os::try_lock(fd, kOwner, os::Hold::write, order.bytes);
    case Deed::lock_as_process: {
      const int error = os::try_lock(fd, os::Owner::process, os::Hold::write, order.bytes);
      if (error == 0) os::unlock(fd, os::Owner::process, order.bytes);
      return error;
    }
    case Deed::query: {
      os::Conflict conflict;
      const int error = os::query_lock(fd, kOwner, os::Hold::write, order.bytes, conflict);
      return error != 0 ? error : conflict.found ? kFound : kFree;
    }
    case Deed::wait:
      return os::wait_lock(fd, kOwner, os::Hold::write, order.bytes);
    case Deed::unlock:
      return os::unlock(fd, kOwner, order.bytes);
    case Deed::take_word:
      return take_word(fd);
    case Deed::become_cat:
      return become_cat(fd);
  }
  return 0;
}

void act(void* context) {
  const Role& role = *static_cast<const Role*>(context);
  os::Fd file(role.inherits ? os::Child::kKept : -1);
  for (Order order; os::receive(&order, sizeof order);) {
    const std::int32_t result = perform(role, order, file);
    if (!os::report(&result, sizeof result)) return;
  }
}

}  // namespace

int Actor::start(const PathText& path, int inherit) {
  Role role = {path, inherit >= 0};
  return child_.start(act, &role, inherit);
}

void Actor::tell(Deed deed, os::Bytes bytes) {
  const Order order = {deed, 0, bytes};
  (void)child_.order(&order, sizeof order);  // gone: then no answer comes
}

std::int32_t Actor::answer(std::int64_t patience_ns) {
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

std::int32_t Actor::ask_raw() {
  const std::int32_t sent = 0;
  (void)child_.order(&sent, sizeof sent);
  return answer();
}

}  // namespace atmost::local
