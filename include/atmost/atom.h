// atmost for C++: the functions of atmost.h as classes. Header-only over the C functions, so that
// the library has no C++ ABI.
#ifndef ATMOST_ATOM_H
#define ATMOST_ATOM_H

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "atmost/atmost.h"

namespace atmost {

// A held lock, or the reason why there is none. Move-only; the destructor releases the lock as not
// successful. A value belongs to one thread at a time. If the process dies, the kernel frees the
// lock.
class Held {
 public:
  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  Held(Held&& other) noexcept
      : lock_(std::exchange(other.lock_, nullptr)),
        answer_(other.answer_),
        retry_in_(other.retry_in_),
        reason_(std::move(other.reason_)) {}
  Held& operator=(Held&& other) noexcept {
    if (this != &other) {
      release();
      lock_ = std::exchange(other.lock_, nullptr);
      answer_ = other.answer_;
      retry_in_ = other.retry_in_;
      reason_ = std::move(other.reason_);
    }
    return *this;
  }
  ~Held() { release(); }

  // Whether the lock was admitted and no taker has it yet.
  explicit operator bool() const { return lock_ != nullptr && atmost_held(lock_) != 0; }

  int answer() const { return answer_; }  // ATMOST_ADMITTED, ATMOST_BUSY, ATMOST_TOO_SOON, …
  const std::string& reason() const { return reason_; }  // a sentence; empty when admitted
  double retry_in() const { return retry_in_; }          // seconds, after ATMOST_TOO_SOON
  std::uint64_t token() const { return lock_ != nullptr ? atmost_token(lock_) : 0; }
  unsigned slot() const { return lock_ != nullptr ? atmost_slot(lock_) : 0; }

  void release(bool success = false) {
    if (lock_ != nullptr) atmost_release(std::exchange(lock_, nullptr), success ? 1 : 0);
  }

 private:
  friend class Atom;
  friend class Named;
  Held(int answer, atmost_lock* lock) : lock_(lock), answer_(answer) {
    if (answer == ATMOST_ADMITTED) return;
    reason_ = atmost_message();
    retry_in_ = atmost_retry_in();
  }

  atmost_lock* lock_ = nullptr;
  int answer_ = ATMOST_BUSY;
  double retry_in_ = 0;
  std::string reason_;
};

// atmost_options with its defaults, to be changed field by field:
//
//     atmost::Limits limits;
//     limits.if_elapsed = 900;
struct Limits : atmost_options {
  Limits() : atmost_options ATMOST_DEFAULTS {}
};

// The options used most, with names at the call (C++20): get_lock({.if_elapsed = 900, .expire_after
// = 5400}).
struct Terms {
  unsigned max = 1;                       // N: at most so many at a time
  double wait = 0;                        // seconds to wait for admission
  double if_elapsed = 0;                  // seconds; 0: never too soon
  double expire_after = __builtin_inf();  // seconds; infinity: no holder is taken over
  double now = -1;                        // seconds since 1970; negative: the clocks

  Limits limits() const {
    Limits limits;
    limits.max = max;
    limits.wait = wait;
    limits.if_elapsed = if_elapsed;
    limits.expire_after = expire_after;
    limits.now = now;
    return limits;
  }
};

// Limits and atmost_options, but never an argument in braces: that is Terms.
template <class T>
using IfOptions = std::enable_if_t<std::is_base_of_v<atmost_options, T>, int>;

// An atom (Burgess & Skipitaris, LISA '97): operator:operand on a host (empty: this one).
class Atom {
 public:
  using Terms = atmost::Terms;

  Atom(std::string operation, std::string operand, std::string host = {})
      : operator_(std::move(operation)), operand_(std::move(operand)), host_(std::move(host)) {}

  Held get_lock() const { return get_lock(Terms()); }
  Held get_lock(const Terms& terms) const { return get_lock(terms.limits()); }
  template <class Options, IfOptions<Options> = 0>
  Held get_lock(const Options& options) const {
    atmost_lock* lock = nullptr;
    const int answer = atmost_get_atom(operator_.c_str(), operand_.c_str(),
                                       host_.empty() ? nullptr : host_.c_str(), &options, &lock);
    return Held(answer, lock);
  }

 private:
  std::string operator_;
  std::string operand_;
  std::string host_;
};

// A lock by path or name, as atmost(1) takes it.
class Named {
 public:
  explicit Named(std::string name) : name_(std::move(name)) {}

  Held get_lock() const { return get_lock(Terms()); }
  Held get_lock(const Terms& terms) const { return get_lock(terms.limits()); }
  template <class Options, IfOptions<Options> = 0>
  Held get_lock(const Options& options) const {
    atmost_lock* lock = nullptr;
    const int answer = atmost_get(name_.c_str(), &options, &lock);
    return Held(answer, lock);
  }

 private:
  std::string name_;
};

}  // namespace atmost

#endif
