#include "library_request.h"

#include <cstddef>
#include <cstring>
#include <new>

#include "core/parse.h"
#include "library_answer.h"

namespace atmost::limiter {
namespace {

const atmost_options kDefaults = ATMOST_DEFAULTS;

// The struct ended here in the first version.
constexpr std::size_t kFirstSize = offsetof(atmost_options, log);

bool killing_agreed = false;

// False for NaN and negatives. More than 292 years means for ever.
bool to_duration(double seconds, Duration& to) {
  if (!(seconds >= 0)) return false;
  to = seconds >= 9.2e9 ? Duration::forever() : Duration{static_cast<std::int64_t>(seconds * 1e9)};
  return true;
}

// The same, or a learned limit.
bool to_limit(double seconds, Duration& to, bool& learned) {
  learned = seconds == ATMOST_AUTO;
  return learned || to_duration(seconds, to);
}

int fill_sharing(const atmost_options& from, LockSpec& to) {
  switch (from.sharing) {
    case ATMOST_PLAIN:
      return ATMOST_ADMITTED;
    case ATMOST_SHARED:
      if (from.take != 1) return answer_misuse("take: readers take no slots of their own");
      to.mode = Mode::shared;
      if (from.max == 1) to.max = kMaxSlots;
      return ATMOST_ADMITTED;
    case ATMOST_EXCLUSIVE:
      if (from.max != 1 || from.take != 1)
        return answer_misuse("max and take must be 1 for a writer, who is alone");
      to.mode = Mode::exclusive;
      return ATMOST_ADMITTED;
    default:
      return answer_misuse("sharing must be ATMOST_PLAIN, _SHARED or _EXCLUSIVE");
  }
}

int fill_on_busy(const atmost_options& from, Request& to) {
  switch (from.on_busy) {
    case ATMOST_FAIL:
      return ATMOST_ADMITTED;
    case ATMOST_REPLACE:
      to.on_busy = OnBusy::replace;
      return ATMOST_ADMITTED;
    case ATMOST_JOIN:
      if (to.wait.is_zero()) return answer_misuse("wait must not be 0 with ATMOST_JOIN");
      to.on_busy = OnBusy::join;
      return ATMOST_ADMITTED;
    case ATMOST_SUPERSEDE:
      to.on_busy = OnBusy::supersede;
      return ATMOST_ADMITTED;
    default:
      return answer_misuse("on_busy must be ATMOST_FAIL, _REPLACE, _JOIN or _SUPERSEDE");
  }
}

int fill_elapsed_from(const atmost_options& from, Request& to) {
  switch (from.elapsed_from) {
    case ATMOST_FROM_START:
      return ATMOST_ADMITTED;
    case ATMOST_FROM_FINISH:
      to.elapsed_from = ElapsedFrom::finish;
      return ATMOST_ADMITTED;
    case ATMOST_FROM_SUCCESS:
      to.elapsed_from = ElapsedFrom::success;
      return ATMOST_ADMITTED;
    default:
      return answer_misuse("elapsed_from must be ATMOST_FROM_START, _FINISH or _SUCCESS");
  }
}

// The options of the fourth version.
int fill_rate(const atmost_options& from, Request& to) {
  if (from.queue_max >= 0) to.queue_max = static_cast<std::uint32_t>(from.queue_max);
  if (from.rate == nullptr) return ATMOST_ADMITTED;
  const Result<Rate> rate = parse_rate(from.rate);
  if (!rate.ok()) return answer_misuse("rate must be K/DUR, for example 5/1m, K from 1 to 1024");
  to.rate = rate.value();
  return ATMOST_ADMITTED;
}

// The options of the second version.
int fill_choices(const atmost_options& from, Request& to) {
  if (const int answer = fill_sharing(from, to.locks[0])) return answer;
  if (const int answer = fill_on_busy(from, to)) return answer;
  if (const int answer = fill_elapsed_from(from, to)) return answer;
  if (const int answer = fill_rate(from, to)) return answer;
  if (from.wait_too_soon != 0) to.on_too_soon = OnTooSoon::wait;
  Duration limit;
  if (!to_limit(from.max_hold, limit, to.max_runtime_auto))
    return answer_misuse("max_hold must be 0 or more seconds, or ATMOST_AUTO");
  if (!limit.is_forever()) to.max_runtime = limit;
  const bool limited = !limit.is_forever() || to.max_runtime_auto;
  if (limited && from.on_lost == nullptr) return answer_misuse("max_hold needs on_lost");
  if (limited && !to.max_runtime_auto && limit.is_zero())
    return answer_misuse("max_hold must be more than 0 seconds");
  to.trust_fs = from.trust_fs != 0;
  to.no_learn = from.no_learn != 0 || !wants_stats(to);
  return ATMOST_ADMITTED;
}

Eviction eviction_of(const atmost_options& from) {
  if (from.may_be_killed != 0) return from.may_be_killed > 0 ? Eviction::kill : Eviction::none;
  if (from.on_lost != nullptr) return Eviction::revoke;
  return __atomic_load_n(&killing_agreed, __ATOMIC_RELAXED) ? Eviction::kill : Eviction::none;
}

int fill_request(const atmost_options& from, Request& to) {
  new (&to) Request;  // an assignment would copy 70 KiB of empty texts
  to.kind = HolderKind::library;
  LockSpec& spec = to.locks[0];
  if (from.max < 1 || from.max > kMaxSlots) return answer_misuse("max must be 1…262144");
  if (from.take < 1 || from.take > kMaxTake || from.take > from.max)
    return answer_misuse("take must be 1…min(max, 1024)");
  if (!to_duration(from.wait, to.wait)) return answer_misuse("wait must be 0 or more seconds");
  if (!to_limit(from.if_elapsed, to.if_elapsed, to.if_elapsed_auto))
    return answer_misuse("if_elapsed must be 0 or more seconds, or ATMOST_AUTO");
  if (!to_limit(from.expire_after, to.expire_after, to.expire_auto))
    return answer_misuse("expire_after must be 0 or more seconds, or ATMOST_AUTO");
  if (!to_duration(from.kill_grace, to.kill_grace))
    return answer_misuse("kill_grace must be 0 or more seconds");
  if (!(from.now < 9.2e9))
    return answer_misuse("now must be seconds since 1970, or negative for the clocks");
  spec.max = from.max;
  spec.take = from.take;
  to.now_given = from.now >= 0;
  if (to.now_given) to.now_real_ns = static_cast<std::int64_t>(from.now * 1e9);
  to.create_mode = from.mode;
  to.mode_given = true;
  if (from.id != nullptr) to.id = Text<63>(std::string_view(from.id));
  to.eviction = eviction_of(from);
  to.no_history = from.no_history != 0;
  if (from.log != nullptr) to.log = {.directory = from.log};
  if (to.log.size() > PathText::capacity())
    return answer_misuse("log is longer than a path may be");
  return fill_choices(from, to);
}

}  // namespace

bool known_options(const atmost_options* from, atmost_options& to) {
  to = kDefaults;
  if (from == nullptr) return true;
  if (from->size < kFirstSize) return false;
  std::memcpy(&to, from, from->size < sizeof to ? from->size : sizeof to);
  return true;
}

// Texts may have changed where they are.
bool FilledRequest::is_from(const atmost_options& options) const {
  constexpr std::size_t kUpToPadding = offsetof(atmost_options, queue_max) + sizeof(int);
  const bool no_texts = options.id == nullptr && options.log == nullptr &&
                        options.also == nullptr && options.rate == nullptr;
  return filled_ && no_texts && std::memcmp(&options, &options_, kUpToPadding) == 0;
}

void FilledRequest::fill_again() {
  request_.lock_count = 1;
  request_.locks[0].name.clear();
  request_.locks[0].path.clear();
  request_.log = {};
  request_.make_parents = request_.looks_only = request_.log_is_own = false;
  request_.no_history = options_.no_history != 0;
  request_.eviction = eviction_of(options_);
}

int FilledRequest::fill(const atmost_options& from) {
  if (is_from(from)) {
    fill_again();
    return ATMOST_ADMITTED;
  }
  const int answer = fill_request(from, request_);
  filled_ = answer == ATMOST_ADMITTED;
  if (filled_ && from.log != nullptr) keep_log(request_.log);
  options_ = from;
  return answer;
}

void FilledRequest::keep_log(const PathParts& log) {
  log.join(log_);
  request_.log = {.directory = log_};
}

bool agree_to_be_killed(bool agreed) {
  return __atomic_exchange_n(&killing_agreed, agreed, __ATOMIC_RELAXED);
}

}  // namespace atmost::limiter
