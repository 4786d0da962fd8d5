#include "nesting.h"

#include <string>

#include "os/self.h"

namespace atmost::etcd {

bool is_around_us(std::string_view path) {
  const char* held = os::variable("ATMOST_HELD");
  if (held == nullptr) return false;
  std::string listed;  // as it stands in the list
  for (char c : path) listed += c == ':' ? "%3A" : c == '%' ? "%25" : std::string(1, c);
  std::string_view rest = held;
  for (;;) {
    const std::size_t colon = rest.find(':');
    if (rest.substr(0, colon) == listed) return true;
    if (colon == std::string_view::npos) return false;
    rest.remove_prefix(colon + 1);
  }
}

}  // namespace atmost::etcd
