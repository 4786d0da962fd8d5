#include "classes.h"

#include "time_classes.h"

namespace atmost::request {
namespace {

bool is_name_char(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// Parses and evaluates in one pass. Where `live` is false, the value no longer matters, and no
// class is asked for.
class Parser {
 public:
  Parser(std::string_view text, Classes* classes, NameVisitor* visitor, ExpressionFault& fault)
      : text_(text), classes_(classes), visitor_(visitor), fault_(fault) {}

  bool run(bool& value) {
    value = either(true);
    if (ok_ && peek() != '\0')
      fail(at_, peek() == ')' ? "this ) closes nothing" : "expected . & or | here");
    return ok_;
  }

 private:
  bool either(bool live) {
    bool value = both(live);
    while (ok_ && accept('|')) {
      const bool right = both(live && !value);
      value = value || right;
    }
    return value;
  }

  bool both(bool live) {
    bool value = factor(live);
    while (ok_ && (accept('.') || accept('&'))) {
      const bool right = factor(live && value);
      value = value && right;
    }
    return value;
  }

  bool factor(bool live) {
    bool negated = false;
    while (accept('!')) negated = !negated;
    const bool value = peek() == '(' ? nested(live) : named(live);
    return value != negated;
  }

  bool nested(bool live) {
    const std::size_t open = at_;
    if (++depth_ > kMaxNesting) return fail(open, "parentheses are nested more than 64 deep");
    accept('(');
    const bool value = either(live);
    if (ok_ && !accept(')'))
      return fail(at_, peek() == '\0' ? "a ) is missing" : "expected . & | or ) here");
    --depth_;
    return value;
  }

  bool named(bool live) {
    peek();  // behind the blanks
    const std::size_t start = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    const std::string_view name{text_.data() + start, at_ - start};
    if (name.empty()) return fail(start, no_name(start));
    if (time_class(name).unit == TimeUnit::impossible) {
      return fail(start, "looks like a time class, but there is no such time");
    }
    if (visitor_ != nullptr) visitor_->name(name);
    return live && classes_ != nullptr && classes_->has(name);
  }

  std::string_view no_name(std::size_t at) const {
    if (at == text_.size()) return "a class name is missing";
    const char c = text_[at];
    if (c == '|' || c == '&' || c == '.')
      return "expected a class name here: operators are single characters";
    if (c == ')') return "expected a class name before this )";
    return "expected a class name here: use letters, digits and _";
  }

  // The next character that is not a blank; NUL at the end, and for a NUL in the text, which is
  // then not a name.
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
    return at_ < text_.size() && text_[at_] != '\0' ? text_[at_] : '\0';
  }

  bool accept(char c) {
    if (!ok_ || peek() != c) return false;
    ++at_;
    return true;
  }

  bool fail(std::size_t at, std::string_view words) {
    if (!ok_) return false;
    ok_ = false;
    fault_.at = at;
    fault_.words = words;
    return false;
  }

  std::string_view text_;
  Classes* classes_;
  NameVisitor* visitor_;
  ExpressionFault& fault_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool ok_ = true;
};

}  // namespace

bool check_expression(std::string_view text, ExpressionFault& fault, NameVisitor* visitor) {
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    fault.at = nul;
    fault.words = std::string_view("holds a NUL byte");
    return false;
  }
  bool value = false;
  return Parser(text, nullptr, visitor, fault).run(value);
}

bool evaluate(std::string_view text, Classes& classes) {
  ExpressionFault fault;
  bool value = false;
  return Parser(text, &classes, nullptr, fault).run(value) && value;
}

}  // namespace atmost::request
