#include "library_request.h"

#include <cstddef>
#include <cstring>

#include "library_answer.h"

namespace atmost::limiter {
namespace {

const atmost_options kDefaults = ATMOST_DEFAULTS;

// The struct ended here in the first version.
constexpr std::size_t kFirstSize = offsetof(atmost_options, log);

bool killing_agreed = false;

// False for NaN and negatives. What exceeds 292 years is for ever.
bool to_duration(double seconds, Duration& to) {
  if (!(seconds >= 0)) return false;
  to = seconds >= 9.2e9 ? Duration::forever() : Duration{static_cast<std::int64_t>(seconds * 1e9)};
  return true;
}

Eviction eviction_of(const atmost_options& from) {
  if (from.may_be_killed != 0) return from.may_be_killed > 0 ? Eviction::kill : Eviction::none;
  if (from.on_lost != nullptr) return Eviction::revoke;
  return __atomic_load_n(&killing_agreed, __ATOMIC_RELAXED) ? Eviction::kill : Eviction::none;
}

}  // namespace

bool known_options(const atmost_options* from, atmost_options& to) {
  to = kDefaults;
  if (from == nullptr) return true;
  if (from->size < kFirstSize) return false;
  std::memcpy(&to, from, from->size < sizeof to ? from->size : sizeof to);
  return true;
}

int fill_request(const atmost_options& from, Request& to) {
  static const Request kPlain;
  to = kPlain;
  to.kind = HolderKind::library;
  LockSpec& spec = to.locks[0];
  if (from.max < 1 || from.max > kMaxSlots) return answer_misuse("max must be 1…262144");
  if (from.take < 1 || from.take > kMaxTake || from.take > from.max)
    return answer_misuse("take must be 1…min(max, 1024)");
  if (!to_duration(from.wait, to.wait)) return answer_misuse("wait must be 0 or more seconds");
  if (!to_duration(from.if_elapsed, to.if_elapsed))
    return answer_misuse("if_elapsed must be 0 or more seconds");
  if (!to_duration(from.expire_after, to.expire_after))
    return answer_misuse("expire_after must be 0 or more seconds");
  if (!to_duration(from.kill_grace, to.kill_grace))
    return answer_misuse("kill_grace must be 0 or more seconds");
  if (from.now >= 9.2e9)
    return answer_misuse("now must be seconds since 1970, or negative for the clocks");
  spec.max = from.max;
  spec.take = from.take;
  to.now_given = from.now >= 0;
  if (to.now_given) to.now_real_ns = static_cast<std::int64_t>(from.now * 1e9);
  to.create_mode = from.mode;
  to.mode_given = true;
  to.mode_given = true;
  if (from.id != nullptr) to.id = Text<63>(std::string_view(from.id));
  to.eviction = eviction_of(from);
  to.no_history = from.no_history != 0;
  if (from.log != nullptr) to.log_path.assign(from.log);
  if (to.log_path.truncated()) return answer_misuse("log is longer than a path may be");
  return ATMOST_ADMITTED;
}

bool agree_to_be_killed(bool agreed) {
  return __atomic_exchange_n(&killing_agreed, agreed, __ATOMIC_RELAXED);
}

}  // namespace atmost::limiter
