// Finds the name that may have been meant.
#include "core/parse.h"

namespace atmost {
namespace {

constexpr std::size_t kLongest = 63;

unsigned least(unsigned one, unsigned other) { return one < other ? one : other; }

// F. J. Damerau's distance, restricted: no part is edited twice.
unsigned distance(std::string_view one, std::string_view other) {
  unsigned rows[3][kLongest + 1];
  for (std::size_t j = 0; j <= other.size(); ++j) rows[0][j] = static_cast<unsigned>(j);
  for (std::size_t i = 1; i <= one.size(); ++i) {
    unsigned* const row = rows[i % 3];
    const unsigned* const before = rows[(i + 2) % 3];
    const unsigned* const two_before = rows[(i + 1) % 3];
    row[0] = static_cast<unsigned>(i);
    for (std::size_t j = 1; j <= other.size(); ++j) {
      const bool same = one[i - 1] == other[j - 1];
      row[j] = least(least(before[j], row[j - 1]) + 1, before[j - 1] + (same ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1]) {
        row[j] = least(row[j], two_before[j - 2] + 1);
      }
    }
  }
  return rows[one.size() % 3][other.size()];
}

bool is_within(unsigned most, std::string_view typed, std::string_view name) {
  if (typed.size() > kLongest || name.size() > kLongest || typed == name) return false;
  return distance(typed, name) <= most;
}

}  // namespace

bool is_misspelling(std::string_view typed, std::string_view name) {
  return is_within(typed.size() > 4 ? 2 : 1, typed, name);
}

bool differs_by_one_edit(std::string_view typed, std::string_view name) {
  return is_within(1, typed, name);
}

}  // namespace atmost
