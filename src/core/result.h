// A value, or the reason why there is no value. Busy and too soon are answers, not errors: they
// travel in a Decision.
#ifndef ATMOST_RESULT_H
#define ATMOST_RESULT_H

#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
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

// The sentence of an Error: as Text<kMost>, but in memory of its own, which is taken with the first
// byte and given back with the last owner. If there is no memory, it says so instead. Any thread;
// also between fork and exec, and in a signal handler.
class Reason {
 public:
  static constexpr std::size_t kMost = 700;

  Reason() = default;
  Reason(const Reason& other) {
    if (other.text_ != nullptr) append(other);
  }
  Reason(Reason&& other) noexcept : text_(std::exchange(other.text_, nullptr)) {}
  Reason& operator=(Reason other) noexcept {
    std::swap(text_, other.text_);
    return *this;
  }
  ~Reason() {
    if (text_ != nullptr) give_back(text_);
  }

  Reason& append(std::string_view from) {
    if (Text<kMost>* const to = text()) to->append(from);
    return *this;
  }
  Reason& push(char c) { return append({&c, 1}); }
  Reason& append_unsigned(std::uint64_t value) { return append(Text<20>().append_unsigned(value)); }
  Reason& append_signed(std::int64_t value) { return append(Text<21>().append_signed(value)); }

  std::string_view view() const { return text_ == nullptr ? std::string_view() : text_->view(); }
  operator std::string_view() const { return view(); }
  const char* c_str() const { return text_ == nullptr ? "" : text_->c_str(); }
  std::size_t size() const { return view().size(); }
  bool empty() const { return view().empty(); }
  bool truncated() const { return text_ != nullptr && text_->truncated(); }

 private:
  // Null: there is no memory, and text_ is a text that says so.
  Text<kMost>* text();
  static void give_back(const Text<kMost>* text);  // src/os/memory.cc defines both

  const Text<kMost>* text_ = nullptr;
};

// The reason of a failure: one sentence that names the step, the place and, if it helps, the
// remedy. The message may contain the raw bytes of names; the code that prints it escapes them
// (append_escaped, words.h).
struct Error {
  Code code = Code::internal;
  int sys = 0;  // errno of the call that failed, 0 when none did
  Reason message;
};

// Success, or the reason for failure.
class [[nodiscard]] Status {
 public:
  Status() { error_.code = Code::ok; }
  Status(Error error) : error_(std::move(error)) {}  // its code is not ok

  bool ok() const { return error_.code == Code::ok; }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

// Holds a T or an Error. T may be move-only.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)), ok_(true) {}
  Result(Error error) : error_(std::move(error)), ok_(false) {}
  // A T as it is without a value, made in place.
  explicit Result(std::in_place_t) : value_(), ok_(true) {}
  Result(const Result& other) : error_(other.error_), ok_(other.ok_) {
    if (ok_) new (static_cast<void*>(&value_)) T(other.value_);
  }
  Result(Result&& other) noexcept : error_(std::move(other.error_)), ok_(other.ok_) {
    if (ok_) new (static_cast<void*>(&value_)) T(std::move(other.value_));
  }
  Result& operator=(Result other) noexcept {
    this->~Result();
    return *new (static_cast<void*>(this)) Result(std::move(other));
  }
  ~Result() {
    if (ok_) value_.~T();
  }

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  T& value() { return value_; }  // REQUIRES: ok()
  const T& value() const { return value_; }
  const Error& error() const { return error_; }  // REQUIRES: !ok()

 private:
  Error error_;
  union {
    T value_;
  };
  bool ok_;
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
