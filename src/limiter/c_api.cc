// The C functions of atmost.h: arguments to a request, an outcome to an answer.
#include <cstdlib>

#include "atmost/atmost.h"
#include "core/host.h"
#include "core/parse.h"
#include "core/place.h"
#include "library_answer.h"
#include "library_lock.h"
#include "library_request.h"

namespace atmost::limiter {
namespace {

thread_local LibraryLock* current = nullptr;

// The C type is never completed: it is the C++ value, seen from outside.
atmost_lock* outside(LibraryLock* lock) { return reinterpret_cast<atmost_lock*>(lock); }
LibraryLock* inside(atmost_lock* lock) { return reinterpret_cast<LibraryLock*>(lock); }
const LibraryLock* inside(const atmost_lock* lock) {
  return reinterpret_cast<const LibraryLock*>(lock);
}

NamingContext surroundings(const char* directory, const char* host, Text<255>& host_room) {
  const auto view = [](const char* text) {
    return text != nullptr ? std::string_view(text) : std::string_view();
  };
  host_room = host_name();
  NamingContext around;
  around.option_dir = view(directory);
  around.atmost_dir = view(std::getenv("ATMOST_DIR"));
  around.state_home = view(std::getenv("XDG_STATE_HOME"));
  around.home = view(std::getenv("HOME"));
  around.root = user_id() == 0;
  around.host = host != nullptr ? std::string_view(host) : host_room.view();
  return around;
}

// Takes ownership of `lock`: hands it to the caller, or back to the pool.
int ask(LibraryLock* lock, const atmost_options& options, atmost_lock** to) {
  const Outcome outcome = lock->get(options);
  if (outcome.kind != Outcome::Kind::ran) {
    const int answer = answer_refusal(outcome, lock->request());
    give_back(lock);
    return answer;
  }
  lock->below = current;
  current = lock;
  *to = outside(lock);
  return ATMOST_ADMITTED;
}

// A fresh lock, its request filled from the options, which `known` gets; null (and `answer`) when
// that is not possible.
LibraryLock* prepare(const atmost_options* options, atmost_options& known, int& answer) {
  if (!known_options(options, known)) {
    answer = answer_misuse("atmost_options.size is too small: start from ATMOST_DEFAULTS");
    return nullptr;
  }
  LibraryLock* lock = fresh_lock();
  if (lock == nullptr) {
    answer = answer_error(error_of(Code::internal, 0, "out of memory"));
    return nullptr;
  }
  answer = fill_request(known, lock->request());
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

}  // namespace

// Functions with C linkage are the same in every namespace: these are the ones that atmost.h
// declares.
extern "C" {

int atmost_get(const char* name, const atmost_options* options, atmost_lock** lock) {
  if (lock == nullptr || name == nullptr) return answer_misuse("name and lock must not be NULL");
  *lock = nullptr;
  atmost_options known;
  int answer = 0;
  LibraryLock* fresh = prepare(options, known, answer);
  if (fresh == nullptr) return answer;
  Text<255> host;
  bool named = false;
  Request& request = fresh->request();
  const NamingContext around = surroundings(known.directory, nullptr, host);
  const Status placed = place_lock(name, around, request.locks[0], named);
  if (!placed.ok()) {
    give_back(fresh);
    return answer_error(placed.error());
  }
  request.make_parents = named;
  request.log_is_own = !named;
  if (!named && !own_log(around, request.log_path).ok()) request.no_history = true;
  return ask(fresh, known, lock);
}

int atmost_get_atom(const char* operator_, const char* operand, const char* host,
                    const atmost_options* options, atmost_lock** lock) {
  if (lock == nullptr || operator_ == nullptr || operand == nullptr) {
    return answer_misuse("operator, operand and lock must not be NULL");
  }
  *lock = nullptr;
  atmost_options known;
  int answer = 0;
  LibraryLock* fresh = prepare(options, known, answer);
  if (fresh == nullptr) return answer;
  Text<255> host_room;
  const NamingContext around = surroundings(known.directory, host, host_room);
  LockSpec& spec = fresh->request().locks[0];
  PathText directory;
  Status placed = lock_directory(around, directory);
  Result<Text<255>> file = canonical_atom(operator_, operand, around.host);
  if (placed.ok() && !file.ok()) placed = file.error();
  if (placed.ok()) placed = join_path(directory, file.value(), spec.path);
  if (!placed.ok()) {
    give_back(fresh);
    return answer_error(placed.error());
  }
  spec.name.append(operator_).push(':').append(operand);
  fresh->request().make_parents = true;
  return ask(fresh, known, lock);
}

int atmost_get_lock(const char* operator_, const char* operand, double ifelapsed,
                    double expireafter, const char* host, double now, atmost_lock** lock) {
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

const char* atmost_message(void) { return last_answer().message.c_str(); }

double atmost_retry_in(void) { return last_answer().retry_in; }

const char* atmost_why(void) { return last_answer().why; }

int atmost_may_be_killed(int agreed) { return agree_to_be_killed(agreed != 0) ? 1 : 0; }

}  // extern "C"

}  // namespace atmost::limiter
