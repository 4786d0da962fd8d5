#include "lock_steps.h"

#include <sys/file.h>

#include <array>
#include <iterator>
#include <limits>

#include "draw.h"

namespace world {
namespace {

using Act = LockStep::Act;

struct Weight {
  Act act;
  const char* name;
  std::uint64_t weight;
};
constexpr Weight kWeights[] = {
    {Act::open, "open", 100},
    {Act::dup, "dup", 40},
    {Act::dup_over, "dup over", 8},
    {Act::close, "close", 40},
    {Act::send, "send", 25},
    {Act::receive, "receive", 60},
    {Act::seek, "seek", 10},
    {Act::resize, "resize", 5},
    {Act::map, "map", 6},
    {Act::unmap, "unmap", 6},
    {Act::lock, "lock", 600},
    {Act::race, "race", 40},
    {Act::interrupt, "interrupt", 25},
    {Act::restart, "restart", 15},
    {Act::stop, "stop", 10},
    {Act::go_on, "go on", 20},
    {Act::kill, "kill", 4},
    {Act::fork, "fork", 4},
    {Act::exec, "exec", 1},
};

constexpr std::uint64_t sum_of_weights() {
  std::uint64_t sum = 0;
  for (const Weight& row : kWeights) sum += row.weight;
  return sum;
}

Act draw_act(Draws& draws) {
  std::uint64_t drawn = draws.below(sum_of_weights());
  for (const Weight& row : kWeights) {
    if (drawn < row.weight) return row.act;
    drawn -= row.weight;
  }
  return Act::lock;
}

int draw_int(Draws& draws, int n) {
  return static_cast<int>(draws.below(static_cast<std::uint64_t>(n)));
}

template <typename T, std::size_t N>
T draw_of(Draws& draws, const std::array<T, N>& values) {
  return values[draws.below(N)];
}

constexpr std::int64_t kFar = std::int64_t{1} << 48;
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

// Bytes that meet others often; sometimes those at which something overflows or is refused.
struct flock draw_bytes(Draws& draws, bool query) {
  struct flock to = {};
  to.l_type = draw_of(draws, query ? std::array<short, 3>{F_WRLCK, F_RDLCK, F_WRLCK}
                                   : std::array<short, 3>{F_WRLCK, F_RDLCK, F_UNLCK});
  to.l_whence = SEEK_SET;
  to.l_start = draw_int(draws, 12);
  to.l_len = draws.happens(40'000) ? 0 : 1 + draw_int(draws, 5);
  if (draws.happens(40'000)) to.l_start += kFar;
  if (draws.happens(60'000)) {
    to.l_whence = draw_of(draws, std::array<short, 2>{SEEK_CUR, SEEK_END});
    to.l_start -= draw_of(draws, std::array<int, 2>{0, 4});
  }
  if (draws.happens(40'000)) to.l_len = -to.l_len;
  if (!draws.happens(30'000)) return to;
  switch (draws.below(6)) {
    case 0:
      to.l_start = draw_of(draws, std::array<std::int64_t, 5>{-1, kMin, kMax, kMax - 1, kMax - 4});
      break;
    case 1:
      to.l_len = draw_of(draws, std::array<std::int64_t, 4>{kMax, kMin, kMax - 3, -3});
      break;
    case 2:
      to.l_whence = draw_of(draws, std::array<short, 2>{3, -1});
      break;
    case 3:
      to.l_type = draw_of(draws, std::array<short, 3>{7, -1, 3});
      break;
    case 4:
      to.l_pid = 5;
      break;
    default:
      to.l_start = kMax - 2;
      to.l_len = draw_int(draws, 5);
  }
  return to;
}

LockCall draw_call(Draws& draws) {
  LockCall to;
  to.flock = draws.happens(150'000);
  if (to.flock) {
    to.command = draw_of(draws, std::array<int, 4>{LOCK_SH, LOCK_EX, LOCK_UN, LOCK_EX});
    if (to.command != LOCK_UN && draws.happens(600'000)) to.command |= LOCK_NB;
    return to;
  }
  const bool description = draws.happens(500'000);
  const bool query = draws.happens(200'000);
  to.bytes = draw_bytes(draws, query);
  if (query) {
    to.command = description ? F_OFD_GETLK : F_GETLK;
  } else if (draws.happens(description ? 250'000 : 400'000)) {
    to.command = description ? F_OFD_SETLKW : F_SETLKW;
  } else {
    to.command = description ? F_OFD_SETLK : F_SETLK;
  }
  return to;
}

const char* name_of(int command) {
  switch (command) {
    case F_GETLK:
      return "F_GETLK";
    case F_SETLK:
      return "F_SETLK";
    case F_SETLKW:
      return "F_SETLKW";
    case F_OFD_GETLK:
      return "F_OFD_GETLK";
    case F_OFD_SETLK:
      return "F_OFD_SETLK";
    case F_OFD_SETLKW:
      return "F_OFD_SETLKW";
    default:
      return "?";
  }
}

std::string to_text(const LockCall& call) {
  if (!call.flock) return std::string(name_of(call.command)) + " " + world::to_text(call.bytes);
  const int kind = call.command & ~LOCK_NB;
  return std::string(kind == LOCK_SH   ? "LOCK_SH"
                     : kind == LOCK_EX ? "LOCK_EX"
                                       : "LOCK_UN") +
         ((call.command & LOCK_NB) != 0 ? "|LOCK_NB" : "");
}

}  // namespace

LockStep draw_lock_step(std::uint64_t seed, std::uint64_t number) {
  Draws draws(mix(seed) + number, Purpose::scenario, kNobody);
  LockStep to;
  to.act = draw_act(draws);
  to.actor = draw_int(draws, kLockActors);
  to.slot = draw_int(draws, kLockSlots);
  to.other = (to.actor + 1 + draw_int(draws, kLockActors - 1)) % kLockActors;
  to.other_slot = draw_int(draws, kLockSlots);
  to.box = draw_int(draws, kMailboxes);
  to.file = draws.happens(700'000) ? 0 : 1;
  to.flags = draw_of(draws, std::array<int, 6>{O_RDWR, O_RDWR, O_RDWR, O_RDWR, O_RDONLY, O_WRONLY});
  if (draws.happens(300'000)) to.flags |= O_CLOEXEC;
  to.value = 4 + draw_int(draws, 20);
  to.call = draw_call(draws);
  to.other_call = draw_call(draws);
  return to;
}

std::string to_text(const struct flock& bytes) {
  return "type " + std::to_string(bytes.l_type) + " whence " + std::to_string(bytes.l_whence) +
         " start " + std::to_string(bytes.l_start) + " length " + std::to_string(bytes.l_len) +
         " pid " + std::to_string(bytes.l_pid);
}

std::string to_text(const LockStep& step) {
  const std::string other = std::to_string(step.other);
  const std::string other_slot = std::to_string(step.other_slot);
  std::string to = "p" + std::to_string(step.actor) + " slot " + std::to_string(step.slot) + " " +
                   std::next(kWeights, static_cast<std::ptrdiff_t>(step.act))->name;
  switch (step.act) {
    case Act::open:
      return to + " file " + std::to_string(step.file) + " flags " + std::to_string(step.flags);
    case Act::dup:
    case Act::dup_over:
      return to + " to slot " + other_slot +
             ((step.flags & O_CLOEXEC) != 0 ? ", closed on exec" : "");
    case Act::send:
    case Act::receive:
      return to + " mailbox " + std::to_string(step.box);
    case Act::seek:
    case Act::resize:
      return to + " " + std::to_string(step.value);
    case Act::lock:
      return to + ": " + to_text(step.call);
    case Act::race:
      return to + ": " + to_text(step.call) + "; p" + other + " slot " + other_slot + ": " +
             to_text(step.other_call);
    case Act::fork:
      return to + " to p" + other;
    default:
      return to;
  }
}

}  // namespace world
