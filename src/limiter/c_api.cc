// The C functions of atmost.h: arguments to a request, an outcome to an answer.
#include <cstdlib>

#include "atmost/atmost.h"
#include "atmost/host.h"
#include "atmost/parse.h"
#include "atmost/place.h"
#include "atmost/words.h"
#include "library_lock.h"

namespace atmost::limiter {
namespace {

struct LastAnswer {
  Text<1500> message;
  double retry_in = 0;
};
thread_local LastAnswer last_answer;
thread_local LibraryLock* current = nullptr;

// The C type is never completed: it is the C++ value, seen from outside.
atmost_lock* outside(LibraryLock* lock) { return reinterpret_cast<atmost_lock*>(lock); }
LibraryLock* inside(atmost_lock* lock) { return reinterpret_cast<LibraryLock*>(lock); }
const LibraryLock* inside(const atmost_lock* lock) { return reinterpret_cast<const LibraryLock*>(lock); }

constexpr double kNsPerSecond = 1e9;

int fail(const Error& error) {
  last_answer.message.clear();
  append_escaped(last_answer.message, error.message);
  last_answer.retry_in = 0;
  return static_cast<int>(error.code);
}

int misuse(std::string_view what) { return fail(error_of(Code::usage, 0, what)); }

// False for NaN and negatives. What exceeds 292 years is for ever.
bool to_duration(double seconds, Duration& to) {
  if (!(seconds >= 0)) return false;
  to = seconds >= 9.2e9 ? Duration::forever() : Duration{static_cast<std::int64_t>(seconds * kNsPerSecond)};
  return true;
}

Surroundings surroundings(const char* directory, const char* host, Text<255>& host_room) {
  const auto view = [](const char* text) {
    return text != nullptr ? std::string_view(text) : std::string_view();
  };
  host_room = host_name();
  Surroundings around;
  around.option_dir = view(directory);
  around.atmost_dir = view(std::getenv("ATMOST_DIR"));
  around.state_home = view(std::getenv("XDG_STATE_HOME"));
  around.home = view(std::getenv("HOME"));
  around.root = user_id() == 0;
  around.host = host != nullptr ? std::string_view(host) : host_room.view();
  return around;
}

int fill(const atmost_options& from, Request& to) {
  static const Request kPlain;
  to = kPlain;
  LockSpec& spec = to.locks[0];
  if (from.size < sizeof(atmost_options))
    return misuse("atmost_options.size is too small: start from ATMOST_DEFAULTS");
  if (from.max < 1 || from.max > kMaxSlots) return misuse("max must be 1…262144");
  if (from.take < 1 || from.take > kMaxTake || from.take > from.max)
    return misuse("take must be 1…min(max, 1024)");
  if (!to_duration(from.wait, to.wait)) return misuse("wait must be 0 or more seconds");
  if (!to_duration(from.if_elapsed, to.if_elapsed)) return misuse("if_elapsed must be 0 or more seconds");
  if (!to_duration(from.expire_after, to.expire_after))
    return misuse("expire_after must be 0 or more seconds");
  if (!to_duration(from.kill_grace, to.kill_grace)) return misuse("kill_grace must be 0 or more seconds");
  if (from.now >= 9.2e9) return misuse("now must be seconds since 1970, or negative for the clocks");
  spec.max = from.max;
  spec.take = from.take;
  to.now_given = from.now >= 0;
  if (to.now_given) to.now_real_ns = static_cast<std::int64_t>(from.now * kNsPerSecond);
  to.create_mode = from.mode;
  to.mode_given = true;
  if (from.id != nullptr) to.id = Text<63>(std::string_view(from.id));
  to.eviction = from.may_be_killed != 0   ? Eviction::kill
                : from.on_lost != nullptr ? Eviction::revoke
                                          : Eviction::none;
  return ATMOST_ADMITTED;
}

// Why there is no lock, in a sentence.
int refuse(const Outcome& outcome, const Request& request) {
  if (outcome.kind == Outcome::Kind::failed) return fail(outcome.error);
  const Decision& decision = outcome.decision;
  last_answer.message.clear();
  append_escaped(last_answer.message, request.locks[0].name);
  const bool soon = decision.verdict == Verdict::too_soon;
  last_answer.retry_in = decision.retry_in.is_forever()
                             ? __builtin_inf()
                             : static_cast<double>(decision.retry_in.ns) / kNsPerSecond;
  if (soon) {
    last_answer.message.append(": too soon; come back in ").append(duration_words(decision.retry_in));
    return ATMOST_TOO_SOON;
  }
  last_answer.message.append(": busy: ").append_unsigned(decision.held).append(" of ");
  last_answer.message.append_unsigned(request.locks[0].max).append(" slots held");
  return ATMOST_BUSY;
}

// Takes ownership of `lock`: hands it to the caller, or back to the pool.
int ask(LibraryLock* lock, const atmost_options& options, atmost_lock** to) {
  lock->set_on_lost(options.on_lost, options.context);
  const Outcome outcome = lock->get();
  if (outcome.kind != Outcome::Kind::ran) {
    const int answer = refuse(outcome, lock->request());
    give_back(lock);
    return answer;
  }
  lock->below = current;
  current = lock;
  *to = outside(lock);
  return ATMOST_ADMITTED;
}

// Fills a fresh lock's request from the options; null (and `answer`) when that is not possible.
LibraryLock* prepare(const atmost_options& options, int& answer) {
  LibraryLock* lock = fresh_lock();
  if (lock == nullptr) {
    answer = fail(error_of(Code::internal, 0, "out of memory"));
    return nullptr;
  }
  answer = fill(options, lock->request());
  if (answer == ATMOST_ADMITTED) return lock;
  give_back(lock);
  return nullptr;
}

void forget_current(LibraryLock* lock) {
  for (LibraryLock** at = &current; *at != nullptr; at = &(*at)->below) {
    if (*at != lock) continue;
    *at = lock->below;
    return;
  }
}

const atmost_options kDefaults = ATMOST_DEFAULTS;

}  // namespace

// Functions with C linkage are the same in every namespace: these are the ones that atmost.h declares.
extern "C" {

int atmost_get(const char* name, const atmost_options* options, atmost_lock** lock) {
  if (lock == nullptr || name == nullptr) return misuse("name and lock must not be NULL");
  *lock = nullptr;
  if (options == nullptr) options = &kDefaults;
  int answer = 0;
  LibraryLock* fresh = prepare(*options, answer);
  if (fresh == nullptr) return answer;
  Text<255> host;
  bool named = false;
  Request& request = fresh->request();
  const Status placed =
      place_lock(name, surroundings(options->directory, nullptr, host), request.locks[0], named);
  if (!placed.ok()) {
    give_back(fresh);
    return fail(placed.error());
  }
  request.make_parents = named;
  return ask(fresh, *options, lock);
}

int atmost_get_atom(const char* operator_, const char* operand, const char* host,
                    const atmost_options* options, atmost_lock** lock) {
  if (lock == nullptr || operator_ == nullptr || operand == nullptr) {
    return misuse("operator, operand and lock must not be NULL");
  }
  *lock = nullptr;
  if (options == nullptr) options = &kDefaults;
  int answer = 0;
  LibraryLock* fresh = prepare(*options, answer);
  if (fresh == nullptr) return answer;
  Text<255> host_room;
  const Surroundings around = surroundings(options->directory, host, host_room);
  LockSpec& spec = fresh->request().locks[0];
  PathText directory;
  Status placed = lock_directory(around, directory);
  Result<Text<255>> file = canonical_atom(operator_, operand, around.host);
  if (placed.ok() && !file.ok()) placed = file.error();
  if (placed.ok()) placed = join_path(directory, file.value(), spec.path);
  if (!placed.ok()) {
    give_back(fresh);
    return fail(placed.error());
  }
  spec.name.append(operator_).push(':').append(operand);
  fresh->request().make_parents = true;
  return ask(fresh, *options, lock);
}

int atmost_get_lock(const char* operator_, const char* operand, double ifelapsed, double expireafter,
                    const char* host, double now, atmost_lock** lock) {
  atmost_options options = ATMOST_DEFAULTS;
  options.if_elapsed = ifelapsed;
  options.expire_after = expireafter;
  options.now = now;
  return atmost_get_atom(operator_, operand, host, &options, lock);
}

void atmost_release(atmost_lock* lock, int success) {
  if (lock == nullptr) return;
  LibraryLock* held = inside(lock);
  forget_current(held);
  held->release(success != 0 ? Ending::success : Ending::failure);
  give_back(held);
}

void atmost_release_current_lock(void) {
  if (current != nullptr) atmost_release(outside(current), 1);
}

uint64_t atmost_token(const atmost_lock* lock) { return inside(lock)->token(); }

unsigned atmost_slot(const atmost_lock* lock) { return inside(lock)->slot(); }

int atmost_held(const atmost_lock* lock) { return inside(lock)->held() ? 1 : 0; }

const char* atmost_message(void) { return last_answer.message.c_str(); }

double atmost_retry_in(void) { return last_answer.retry_in; }

}  // extern "C"

}  // namespace atmost::limiter
