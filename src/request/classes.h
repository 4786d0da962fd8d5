// Class expressions: on which hosts and when something is to be done. Pure text; the caller knows
// the classes that are set.
//
//   expression := term { "|" term }          or
//   term       := factor { ("." | "&") factor }   and; the dot and the ampersand mean the same
//   factor     := { "!" } ( NAME | "(" expression ")" )
//
// So "!" binds tightest, then "." and "&", then "|" (cfengine's precedence): a|b.!c is a|(b.(!c)).
// A NAME is one or more of [A-Za-z0-9_], and case counts. Blanks between them mean nothing.
#ifndef ATMOST_REQUEST_CLASSES_H
#define ATMOST_REQUEST_CLASSES_H

#include <cstddef>
#include <string_view>

#include "core/text.h"

namespace atmost::request {

// Says which classes are set. An unknown name is not set: it may belong to another host.
class Classes {
 public:
  virtual bool has(std::string_view name) = 0;

 protected:
  ~Classes() = default;
};

// Is called with the names of an expression, in order.
class NameVisitor {
 public:
  virtual void name(std::string_view name) = 0;

 protected:
  ~NameVisitor() = default;
};

// The error, and where: `at` counts bytes from 0 and may be the length (something is missing at
// the end).
struct ExpressionFault {
  std::size_t at = 0;
  Text<200> words;
};

// Parentheses may be nested this deep.
inline constexpr int kMaxNesting = 64;

// True when `text` is an expression; else fills in `fault`. A time class that never comes (Hr24,
// Min61, Day32) is a fault. `visitor` may be null; it gets the names before the fault.
bool check_expression(std::string_view text, ExpressionFault& fault,
                      NameVisitor* visitor = nullptr);

// REQUIRES: check_expression(text). Evaluates from left to right and asks for no class that cannot
// change the result: the right side of a decided "." or "|" is skipped.
bool evaluate(std::string_view text, Classes& classes);

}  // namespace atmost::request

#endif
