// The C functions of atmost.h: arguments to a request, an outcome to an answer.
#include "atmost/atmost.h"

#include <cstdint>

#include "library_answer.h"
#include "library_lock.h"
#include "library_look.h"
#include "library_prepare.h"
#include "library_request.h"

namespace atmost::limiter {
namespace {

// This thread's number. Unlike the kernel's, it is never given to another one.
std::uint64_t this_thread() {
  static std::uint64_t last = 0;
  static thread_local std::uint64_t number = 0;
  if (number == 0) number = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
  return number;
}

// The C types are never completed: they stand for the C++ types.
atmost_lock* outside(LibraryLock* lock) { return reinterpret_cast<atmost_lock*>(lock); }
LibraryLock* inside(atmost_lock* lock) { return reinterpret_cast<LibraryLock*>(lock); }
const LibraryLock* inside(const atmost_lock* lock) {
  return reinterpret_cast<const LibraryLock*>(lock);
}
LibraryLock* inside(atmost_request* request) { return reinterpret_cast<LibraryLock*>(request); }
const LibraryLock* inside(const atmost_request* request) {
  return reinterpret_cast<const LibraryLock*>(request);
}

// Only a program of the back tier can look into a store of many machines.
bool cannot_look(LibraryLock* lock, int& answer) {
  if (!lock->scheme().traits.leased) return false;
  give_back(lock);
  answer = answer_misuse("store: use atmost list or atmost check for locks of a fleet");
  return true;
}

// Takes ownership of `lock`: hands it to the caller, or back to the pool.
int hand_over(LibraryLock* lock, const Outcome& outcome, atmost_lock** to) {
  if (outcome.kind != Outcome::Kind::ran) {
    const int answer = answer_refusal(outcome, lock->request());
    give_back(lock);
    return answer;
  }
  lock->hand_over();
  static thread_local std::uint64_t taken = 0;
  lock->nth = ++taken;
  __atomic_store_n(&lock->taker, this_thread(), __ATOMIC_RELAXED);
  *to = outside(lock);
  return ATMOST_ADMITTED;
}

int begin(LibraryLock* lock, const atmost_options& options, atmost_request** to) {
  if (const int error = lock->begin(options)) {
    give_back(lock);
    return answer_error(error_of(Code::internal, error, "cannot begin a request"));
  }
  *to = reinterpret_cast<atmost_request*>(lock);
  return ATMOST_ADMITTED;
}

}  // namespace

// A function with C linkage is the same function in every namespace: these are the ones that
// atmost.h declares.
extern "C" {

int atmost_get(const char* name, const atmost_options* options, atmost_lock** lock) {
  if (lock == nullptr || name == nullptr) return answer_misuse("name and lock must not be NULL");
  *lock = nullptr;
  atmost_options known;
  LibraryLock* fresh = nullptr;
  if (const int answer = prepare_named(name, options, known, fresh)) return answer;
  return hand_over(fresh, fresh->get(known), lock);
}

int atmost_get_atom(const char* operator_, const char* operand, const char* host,
                    const atmost_options* options, atmost_lock** lock) {
  if (lock == nullptr || operator_ == nullptr || operand == nullptr)
    return answer_misuse("operator, operand and lock must not be NULL");
  *lock = nullptr;
  atmost_options known;
  LibraryLock* fresh = nullptr;
  if (const int answer = prepare_atom({operator_, operand, host}, options, known, fresh))
    return answer;
  return hand_over(fresh, fresh->get(known), lock);
}

int atmost_get_lock(const char* operator_, const char* operand, double ifelapsed,
                    double expireafter, const char* host, double now, atmost_lock** lock) {
  atmost_options options = ATMOST_DEFAULTS;
  options.if_elapsed = ifelapsed;
  options.expire_after = expireafter;
  options.now = now;
  return atmost_get_atom(operator_, operand, host, &options, lock);
}

int atmost_begin(const char* name, const atmost_options* options, atmost_request** request) {
  if (request == nullptr || name == nullptr)
    return answer_misuse("name and request must not be NULL");
  *request = nullptr;
  atmost_options known;
  LibraryLock* fresh = nullptr;
  if (const int answer = prepare_named(name, options, known, fresh)) return answer;
  return begin(fresh, known, request);
}

int atmost_begin_atom(const char* operator_, const char* operand, const char* host,
                      const atmost_options* options, atmost_request** request) {
  if (request == nullptr || operator_ == nullptr || operand == nullptr)
    return answer_misuse("operator, operand and request must not be NULL");
  *request = nullptr;
  atmost_options known;
  LibraryLock* fresh = nullptr;
  if (const int answer = prepare_atom({operator_, operand, host}, options, known, fresh))
    return answer;
  return begin(fresh, known, request);
}

int atmost_answered(const atmost_request* request) { return inside(request)->answered() ? 1 : 0; }

int atmost_descriptor(const atmost_request* request) {
  return const_cast<LibraryLock*>(inside(request))->asking_fd();
}

void atmost_cancel(const atmost_request* request) { inside(request)->cancel(); }

int atmost_finish(atmost_request* request, atmost_lock** lock) {
  if (lock == nullptr || request == nullptr)
    return answer_misuse("request and lock must not be NULL");
  *lock = nullptr;
  LibraryLock* asked = inside(request);
  Outcome outcome;
  if (asked->finish(outcome)) return hand_over(asked, outcome, lock);
  return answer_error(error_of(Code::interrupted, 0, "the request is that of the parent process"));
}

int atmost_list(const char* name, const atmost_options* options,
                int (*each)(void* context, const atmost_entry* entry), void* context) {
  if (name == nullptr || each == nullptr) return answer_misuse("name and each must not be NULL");
  atmost_options known;
  LibraryLock* looked = nullptr;
  if (const int answer = prepare_named(name, options, known, looked)) return answer;
  if (int answer; cannot_look(looked, answer)) return answer;
  const Status shown = show_entries(looked->scheme(), looked->request().locks[0], each, context);
  give_back(looked);
  return shown.ok() ? ATMOST_ADMITTED : answer_error(shown.error());
}

int atmost_check(const char* name, const atmost_options* options, unsigned* held) {
  if (name == nullptr) return answer_misuse("name must not be NULL");
  atmost_options known;
  LibraryLock* looked = nullptr;
  if (const int answer = prepare_named(name, options, known, looked)) return answer;
  if (int no; cannot_look(looked, no)) return no;
  const Result<std::uint32_t> count = count_holders(looked->scheme(), looked->request().locks[0]);
  if (held != nullptr) *held = count.ok() ? count.value() : 0;
  const Outcome outcome = looked->look();
  const bool yes = outcome.kind == Outcome::Kind::ran;
  const int answer = !count.ok() ? answer_error(count.error())
                     : yes       ? int{ATMOST_ADMITTED}
                                 : answer_refusal(outcome, looked->request());
  give_back(looked);
  return answer;
}

void atmost_release(atmost_lock* lock, int success) {
  if (lock == nullptr) return;
  LibraryLock* held = inside(lock);
  __atomic_store_n(&held->taker, 0, __ATOMIC_RELAXED);
  held->release(success != 0 ? Ending::success : Ending::failure);
  give_back(held);
}

void atmost_release_current_lock(void) { atmost_release(outside(last_taken_by(this_thread())), 1); }

uint64_t atmost_token(const atmost_lock* lock) { return inside(lock)->token(); }

unsigned atmost_slot(const atmost_lock* lock) { return inside(lock)->slot(); }

int atmost_held(const atmost_lock* lock) { return inside(lock)->held() ? 1 : 0; }

const char* atmost_message(void) { return last_answer().message.c_str(); }

int atmost_beat(double eta) {
  constexpr double kMost = static_cast<double>(kLongestEta.ns / 1'000'000'000);
  if (!(eta >= 0 && eta <= kMost)) {
    answer_misuse("eta must be 0 to 24 days, in seconds");
    return -1;
  }
  const Result<Beat> told = beat({}, {static_cast<std::int64_t>(eta * 1e9)});
  if (!told.ok()) answer_error(told.error());
  if (!told.ok()) return -1;
  if (told.value() == Beat::unreachable) {
    answer_misuse("no supervisor can be reached from here");
    return -1;
  }
  return told.value() == Beat::told ? 1 : 0;
}

double atmost_retry_in(void) { return last_answer().retry_in; }

const char* atmost_why(void) { return last_answer().why; }

int atmost_may_be_killed(int agreed) { return agree_to_be_killed(agreed != 0) ? 1 : 0; }

int atmost_api_version(void) { return ATMOST_API_VERSION; }

}  // extern "C"

}  // namespace atmost::limiter
