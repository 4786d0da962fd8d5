// The C functions of atmost.h: arguments to a request, an outcome to an answer.
#include "atmost/atmost.h"

#include <cstdint>

#include "answer.h"
#include "entries.h"
#include "lock.h"
#include "request.h"

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
LibraryLock* inside(atmost_pending* pending) { return reinterpret_cast<LibraryLock*>(pending); }
const LibraryLock* inside(const atmost_pending* pending) {
  return reinterpret_cast<const LibraryLock*>(pending);
}
LibraryRequest* inside(atmost_request* request) {
  return reinterpret_cast<LibraryRequest*>(request);
}

int out_of_memory() { return answer_error(error_of(Code::internal, 0, "out of memory")); }

// A request that was never made takes every option.
template <class Set>
int change(atmost_request* request, const char* option, Set how) {
  if (request == nullptr) return out_of_memory();
  if (option == nullptr) return answer_misuse("option must not be NULL");
  return how(*inside(request));
}

// ATMOST_ADMITTED, or the answer.
int prepare(atmost_request* request, LibraryLock*& to) {
  return request != nullptr ? prepare(*inside(request), to) : out_of_memory();
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

int get(const LibraryRequest& from, LibraryLock* fresh, atmost_lock** to) {
  if (!fresh->request().wait.is_forever() || !waits_for_itself(this_thread(), fresh->request()))
    return hand_over(fresh, fresh->get(from), to);
  Outcome refused;
  refused.kind = Outcome::Kind::refused;
  refused.decision.why = Why::ancestor;
  return hand_over(fresh, refused, to);
}

}  // namespace

// A function with C linkage is the same function in every namespace: these are the ones that
// atmost.h declares.
extern "C" {

atmost_request* atmost_new(const char* lock) {
  return reinterpret_cast<atmost_request*>(fresh_request(lock != nullptr ? lock : "", nullptr));
}

atmost_request* atmost_new_atom(const char* operator_, const char* operand) {
  return reinterpret_cast<atmost_request*>(
      fresh_request(operator_ != nullptr ? operator_ : "", operand != nullptr ? operand : ""));
}

void atmost_free(atmost_request* request) {
  if (request != nullptr) give_back(inside(request));
}

int atmost_set(atmost_request* request, const char* option, const char* value) {
  return change(request, option, [option, value](LibraryRequest& to) {
    return to.set(option, value != nullptr ? value : "");
  });
}

int atmost_set_seconds(atmost_request* request, const char* option, double seconds) {
  return change(request, option,
                [option, seconds](LibraryRequest& to) { return to.set_seconds(option, seconds); });
}

int atmost_set_number(atmost_request* request, const char* option, int64_t number) {
  return change(request, option,
                [option, number](LibraryRequest& to) { return to.set_number(option, number); });
}

int atmost_set_on_lost(atmost_request* request, void (*on_lost)(void* context, uint64_t token),
                       void* context) {
  return request != nullptr ? inside(request)->set_on_lost(on_lost, context) : out_of_memory();
}

int atmost_set_interruptible(atmost_request* request, const void* wait_mask) {
  return request != nullptr ? inside(request)->set_interruptible(wait_mask) : out_of_memory();
}

int atmost_waits(atmost_request* request) {
  if (request == nullptr || inside(request)->complete() != ATMOST_ADMITTED) return 0;
  return inside(request)->waits();
}

int atmost_get(atmost_request* request, atmost_lock** lock) {
  if (lock == nullptr) return answer_misuse("lock must not be NULL");
  *lock = nullptr;
  LibraryLock* fresh = nullptr;
  if (const int answer = prepare(request, fresh)) return answer;
  return get(*inside(request), fresh, lock);
}

int atmost_get_lock(const char* operator_, const char* operand, double ifelapsed,
                    double expireafter, const char* host, double now, atmost_lock** lock) {
  if (lock == nullptr) return answer_misuse("lock must not be NULL");
  *lock = nullptr;
  atmost_request* const request = atmost_new_atom(operator_, operand);
  (void)atmost_set_seconds(request, "if_elapsed", ifelapsed);
  (void)atmost_set_seconds(request, "expire_after", expireafter);
  if (host != nullptr) (void)atmost_set(request, "host", host);
  if (!(now < 0)) (void)atmost_set_seconds(request, "now", now);
  const int answer = atmost_get(request, lock);
  atmost_free(request);
  return answer;
}

int atmost_begin(atmost_request* request, atmost_pending** pending) {
  if (pending == nullptr) return answer_misuse("pending must not be NULL");
  *pending = nullptr;
  LibraryLock* fresh = nullptr;
  if (const int answer = prepare(request, fresh)) return answer;
  if (const int error = fresh->begin(*inside(request))) {
    give_back(fresh);
    return answer_error(error_of(Code::internal, error, "cannot begin a request"));
  }
  *pending = reinterpret_cast<atmost_pending*>(fresh);
  return ATMOST_ADMITTED;
}

int atmost_answered(const atmost_pending* pending) { return inside(pending)->answered() ? 1 : 0; }

int atmost_descriptor(const atmost_pending* pending) {
  return const_cast<LibraryLock*>(inside(pending))->asking_fd();
}

void atmost_cancel(const atmost_pending* pending) { inside(pending)->cancel(); }

int atmost_finish(atmost_pending* pending, atmost_lock** lock) {
  if (lock == nullptr || pending == nullptr)
    return answer_misuse("pending and lock must not be NULL");
  *lock = nullptr;
  LibraryLock* asked = inside(pending);
  Outcome outcome;
  if (asked->finish(outcome)) return hand_over(asked, outcome, lock);
  return answer_error(error_of(Code::interrupted, 0, "the request is that of the parent process"));
}

int atmost_list(atmost_request* request, int (*each)(void* context, const atmost_entry* entry),
                void* context) {
  if (each == nullptr) return answer_misuse("each must not be NULL");
  LibraryLock* looked = nullptr;
  if (const int answer = prepare(request, looked)) return answer;
  if (int answer; cannot_look(looked, answer)) return answer;
  const Status shown = show_entries(looked->scheme(), looked->request().locks[0], each, context);
  give_back(looked);
  return shown.ok() ? ATMOST_ADMITTED : answer_error(shown.error());
}

int atmost_check(atmost_request* request, unsigned* held) {
  LibraryLock* looked = nullptr;
  if (const int answer = prepare(request, looked)) return answer;
  if (int no; cannot_look(looked, no)) return no;
  const Result<std::uint32_t> count = count_holders(looked->scheme(), looked->request().locks[0]);
  if (held != nullptr) *held = count.ok() ? count.value() : 0;
  const Outcome outcome = looked->probe();
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
