// What the manual promises and this version cannot do. Refused rather than ignored; shrinks as the limiter grows.
#ifndef ATMOST_CLI_UNREADY_H
#define ATMOST_CLI_UNREADY_H

#include <string_view>

namespace atmost::cli {

struct Unready {
  std::string_view option;
  std::string_view value;  // empty: whatever the value
};

inline constexpr Unready kUnready[] = {
    {"if-elapsed", "auto"},
    {"expire-after", "auto"},
    {"max-runtime", "auto"},
};

// Whether the option, or the option with this value, cannot be honoured yet. With an empty value: the option at all.
constexpr bool is_unready(std::string_view option, std::string_view value) {
  for (const Unready& one : kUnready) {
    if (one.option == option && (one.value.empty() || one.value == value)) return true;
  }
  return false;
}

}  // namespace atmost::cli

#endif
