// Any text of --since: a moment, or a refusal.
#include <cstdlib>
#include <string>

#include "reader/output.h"
#include "reader/selection.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  constexpr std::int64_t kNow = 1'700'000'000'000'000'000;
  try {
    const std::int64_t when = atmost::history::parse_when("--since", text, kNow);
    const bool ago = text.find_first_of("-@") == std::string::npos;
    if (ago && when > kNow) std::abort();
    if (text[0] == '@' && when < 0) std::abort();
  } catch (const atmost::history::Failure&) {
  }
  return 0;
}
