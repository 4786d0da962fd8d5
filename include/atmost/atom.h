// atmost for C++: the functions of atmost.h as classes. Header-only over the C functions, so that
// the library has no C++ ABI.
#ifndef ATMOST_ATOM_H
#define ATMOST_ATOM_H

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "atmost/atmost.h"

namespace atmost {

// A held lock, or the reason why there is none. Move-only; the destructor releases the lock as not
// successful. A value belongs to one thread at a time. If the process dies, the kernel frees the
// lock.
class [[nodiscard]] Held {
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

  // True if the lock was admitted and no taker has it yet.
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

// A limit that is learned from earlier holds, as `auto` in atmost(1).
struct Auto {};
inline constexpr Auto kAuto;

// Options as atmost_set() takes them, in any shape that a value has; of a repeated option the last
// value counts, but each `also` is one more lock:
//
//     atmost::Limits limits;
//     limits.set("if_elapsed", 900).set("expire_after", atmost::kAuto).set("rate", "5/1m");
class Limits {
 public:
  // An option without a value.
  Limits& set(std::string option) { return set(std::move(option), "true"); }
  Limits& set(std::string option, std::string text) {
    return add({std::move(option), kText, std::move(text), 0, 0});
  }
  Limits& set(std::string option, const char* text) {
    return set(std::move(option), std::string(text));
  }
  Limits& set(std::string option, Auto) { return set(std::move(option), std::string("auto")); }
  // Whole numbers, seconds, and whether an option without a value is set.
  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  Limits& set(std::string option, Number number) {
    if constexpr (std::is_same_v<Number, bool>) {
      return set(std::move(option), number ? "true" : "false");
    } else if constexpr (std::is_integral_v<Number>) {
      return add({std::move(option), kNumber, {}, 0, static_cast<std::int64_t>(number)});
    } else {
      return add({std::move(option), kSeconds, {}, static_cast<double>(number), 0});
    }
  }
  // See atmost_set_on_lost() and atmost_set_interruptible().
  Limits& on_lost(void (*called)(void* context, std::uint64_t token), void* context) {
    on_lost_ = called;
    context_ = context;
    return *this;
  }
  Limits& interruptible(const void* wait_mask = nullptr) {
    interruptible_ = true;
    wait_mask_ = wait_mask;
    return *this;
  }

  // An option that cannot be set is the answer of each use of the request.
  void apply(atmost_request* to) const {
    for (const Option& one : options_) apply(one, to);
    if (on_lost_ != nullptr) (void)atmost_set_on_lost(to, on_lost_, context_);
    if (interruptible_) (void)atmost_set_interruptible(to, wait_mask_);
  }

 private:
  enum Kind { kText, kSeconds, kNumber };
  struct Option {
    std::string name;
    Kind kind;
    std::string text;
    double seconds;
    std::int64_t number;
  };

  Limits& add(Option option) {
    for (Option& one : options_) {
      if (one.name != option.name || option.name == "also") continue;
      one = std::move(option);
      return *this;
    }
    options_.push_back(std::move(option));
    return *this;
  }
  static void apply(const Option& one, atmost_request* to) {
    const char* const name = one.name.c_str();
    if (one.kind == kText) (void)atmost_set(to, name, one.text.c_str());
    if (one.kind == kSeconds) (void)atmost_set_seconds(to, name, one.seconds);
    if (one.kind == kNumber) (void)atmost_set_number(to, name, one.number);
  }

  std::vector<Option> options_;
  void (*on_lost_)(void*, std::uint64_t) = nullptr;
  void* context_ = nullptr;
  bool interruptible_ = false;
  const void* wait_mask_ = nullptr;
};

// The options used most, with names at the call (C++20): get_lock({.if_elapsed = 900, .expire_after
// = 5400}).
struct Terms {
  unsigned max = 1;                       // N: at most so many at a time
  double wait = 0;                        // seconds to wait for admission
  double if_elapsed = 0;                  // seconds; 0: never too soon
  double expire_after = __builtin_inf();  // seconds; infinity: no holder is taken over

  Limits limits() const {
    Limits limits;
    limits.set("max", max).set("wait", wait);
    limits.set("if_elapsed", if_elapsed).set("expire_after", expire_after);
    return limits;
  }
};

// Limits, but never an argument in braces: that is Terms.
template <class T>
using IfLimits = std::enable_if_t<std::is_base_of_v<Limits, T>, int>;

// A lock to ask for, by path or name, as atmost(1) takes it. Any number of threads may ask.
class Named {
 public:
  using Terms = atmost::Terms;

  explicit Named(std::string name) : name_(std::move(name)) {}

  [[nodiscard]] Held get_lock() const { return get_lock(Limits()); }
  [[nodiscard]] Held get_lock(const Terms& terms) const { return get_lock(terms.limits()); }
  template <class Options, IfLimits<Options> = 0>
  [[nodiscard]] Held get_lock(const Options& limits) const {
    atmost_request* const request =
        is_atom_ ? atmost_new_atom(name_.c_str(), operand_.c_str()) : atmost_new(name_.c_str());
    if (!host_.empty()) (void)atmost_set(request, "host", host_.c_str());
    limits.apply(request);
    atmost_lock* lock = nullptr;
    const int answer = atmost_get(request, &lock);
    atmost_free(request);
    return Held(answer, lock);
  }

 protected:
  Named(std::string operation, std::string operand, std::string host)
      : is_atom_(true),
        name_(std::move(operation)),
        operand_(std::move(operand)),
        host_(std::move(host)) {}

 private:
  bool is_atom_ = false;
  std::string name_;
  std::string operand_;
  std::string host_;
};

// An atom (Burgess & Skipitaris, LISA '97): operator:operand on a host (empty: this one).
class Atom : public Named {
 public:
  Atom(std::string operation, std::string operand, std::string host = {})
      : Named(std::move(operation), std::move(operand), std::move(host)) {}
};

}  // namespace atmost

#endif
