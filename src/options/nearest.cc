#include "nearest.h"

#include "core/parse.h"

namespace atmost {
namespace {

constexpr std::size_t kShortestBeginning = 3;

bool differs_in_case_alone(std::string_view typed, std::string_view candidate) {
  if (typed.size() != candidate.size()) return false;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const bool upper = typed[i] >= 'A' && typed[i] <= 'Z';
    if (candidate[i] != (upper ? static_cast<char>(typed[i] - 'A' + 'a') : typed[i])) return false;
  }
  return true;
}

}  // namespace

void Nearest::consider(std::string_view candidate) {
  if (candidate.empty()) return;
  if (differs_in_case_alone(typed_, candidate)) misspelt_ = candidate;
  if (misspelt_.empty() && is_misspelling(typed_, candidate)) misspelt_ = candidate;
  if (typed_.size() < kShortestBeginning || !candidate.starts_with(typed_)) return;
  several_ = !begun_.empty();
  begun_ = candidate;
}

std::string_view Nearest::found() const {
  if (!begun_.empty() && !several_) return begun_;
  return misspelt_;
}

void append_meant(Error& error, std::string_view prefix, std::string_view found) {
  if (found.empty()) return;
  error.message.append("; did you mean ").append(prefix).append(found).push('?');
}

}  // namespace atmost
