// A value or the reason there is none. Busy and too soon are answers, not errors: they travel in a
// Decision.
#ifndef ATMOST_RESULT_H
#define ATMOST_RESULT_H

#include <cstdint>
#include <utility>

#include "core/text.h"

namespace atmost {

// What ended an invocation, by the number a shell sees (docs/exit-codes.md). The sysexits.h values
// keep their meaning.
enum class Code : std::uint8_t {
  ok = 0,
  interrupted = 4,  // only from the library: a signal handler ran while it waited
  usage = 64,
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

// Holds a T or an Error. T is default-constructible and may be move-only.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)), ok_(true) {}
  Result(const Error& error) : error_(error) {}

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  T& value() { return value_; }  // REQUIRES: ok()
  const T& value() const { return value_; }
  const Error& error() const { return error_; }  // REQUIRES: !ok()

 private:
  T value_{};
  Error error_{};
  bool ok_ = false;
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
