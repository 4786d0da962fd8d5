// A value or the reason there is none. Busy and too soon are answers, not errors: they travel in a
// Decision.
#ifndef ATMOST_RESULT_H
#define ATMOST_RESULT_H

#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "core/text.h"

namespace atmost {

// The end of an invocation, by the number a shell sees (atmost(1), EXIT STATUS). The sysexits.h
// values keep their meaning.
enum class Code : std::uint8_t {
  ok = 0,
  interrupted = 4,  // only from the library: a signal handler ran while it waited
  usage = 64,
  no_input = 66,
  unavailable = 69,
  internal = 70,
  cannot_create = 73,
  io = 74,
  busy = 75,
  too_soon = 76,
  not_permitted = 77,
  pass_file = 78,
  lost = 79,
  timed_out = 124,
  not_executable = 126,
  not_found = 127,
};

// Why something failed: one sentence that names what, where and, where it helps, what would be
// right. The message may contain the raw bytes of names; the code that prints it escapes them
// (append_escaped, words.h).
struct Error {
  Code code = Code::internal;
  int sys = 0;  // errno of the call that failed, 0 when none did
  Text<700> message;
};

// Where a Result keeps the one that it holds: they share their bytes, because many frames of the
// stack have one. Copied and destroyed as bytes where T may be.
template <class T, bool = std::is_trivially_copyable_v<T>>
class ResultRoom {
 protected:
  explicit ResultRoom(T&& value) : value_(std::move(value)), ok_(true) {}
  explicit ResultRoom(const Error& error) : error_(error), ok_(false) {}
  explicit ResultRoom(std::in_place_t) : value_(), ok_(true) {}

  union {
    T value_;
    Error error_;
  };
  bool ok_;
};

template <class T>
class ResultRoom<T, false> {
 protected:
  explicit ResultRoom(T&& value) : value_(std::move(value)), ok_(true) {}
  explicit ResultRoom(const Error& error) : error_(error), ok_(false) {}
  explicit ResultRoom(std::in_place_t) : value_(), ok_(true) {}
  ResultRoom(const ResultRoom& other) : ok_(other.ok_) { take(other); }
  ResultRoom(ResultRoom&& other) noexcept : ok_(other.ok_) { take(std::move(other)); }
  ResultRoom& operator=(const ResultRoom& other) {
    if (this == &other) return *this;
    drop();
    ok_ = other.ok_;
    take(other);
    return *this;
  }
  ResultRoom& operator=(ResultRoom&& other) noexcept {
    if (this == &other) return *this;
    drop();
    ok_ = other.ok_;
    take(std::move(other));
    return *this;
  }
  ~ResultRoom() { drop(); }

  union {
    T value_;
    Error error_;
  };
  bool ok_;

 private:
  template <class Other>
  void take(Other&& other) {
    if (ok_) {
      new (static_cast<void*>(&value_)) T(std::forward<Other>(other).value_);
    } else {
      new (static_cast<void*>(&error_)) Error(other.error_);
    }
  }
  void drop() {
    if (ok_) value_.~T();
  }
};

// Holds a T or an Error. T may be move-only.
template <class T>
class [[nodiscard]] Result : private ResultRoom<T> {
 public:
  Result(T value) : ResultRoom<T>(std::move(value)) {}
  Result(const Error& error) : ResultRoom<T>(error) {}
  // A T as it is without a value, made in place.
  explicit Result(std::in_place_t in_place) : ResultRoom<T>(in_place) {}

  bool ok() const { return this->ok_; }
  explicit operator bool() const { return this->ok_; }
  T& value() { return this->value_; }  // REQUIRES: ok()
  const T& value() const { return this->value_; }
  const Error& error() const { return this->error_; }  // REQUIRES: !ok()
};

// Success, or the reason for failure.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(const Error& error) : error_(error), ok_(false) {}

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const { return error_; }

 private:
  Error error_{};
  bool ok_ = true;
};

inline Error error_of(Code code, int sys, std::string_view message) {
  Error error;
  error.code = code;
  error.sys = sys;
  error.message.append(message);
  return error;
}

}  // namespace atmost

#endif
