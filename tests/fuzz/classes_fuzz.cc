// Any text: an expression or not, never both; evaluating asks only for names that the check has
// seen.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "request/classes.h"

namespace {

struct Seen final : atmost::request::NameVisitor {
  std::set<std::string> names;
  void name(std::string_view name) override { names.emplace(name); }
};

struct Some final : atmost::request::Classes {
  explicit Some(const Seen& from) : seen(from) {}
  const Seen& seen;
  bool has(std::string_view name) override {
    if (!seen.names.contains(std::string(name))) std::abort();
    return name.size() % 2 == 0;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  atmost::request::ExpressionFault fault;
  Seen seen;
  if (!atmost::request::check_expression(text, fault, &seen)) {
    if (fault.at > size || fault.words.empty()) std::abort();
    return 0;
  }
  Some some(seen);
  const bool value = atmost::request::evaluate(text, some);
  const std::string negated = "!(" + std::string(text) + ")";
  if (atmost::request::check_expression(negated, fault) &&
      atmost::request::evaluate(negated, some) == value)
    std::abort();
  return 0;
}
