// Counts, modes and times: only what is in range is accepted, and only in its plain spelling.
#include <cstdlib>
#include <string_view>

#include "core/parse.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const atmost::Result<std::uint64_t> count = atmost::parse_count(text, 1, atmost::kMaxSlots);
  if (count.ok() && (count.value() < 1 || count.value() > atmost::kMaxSlots)) std::abort();
  if (count.ok() && text.find_first_not_of("0123456789") != std::string_view::npos) std::abort();
  const atmost::Result<std::uint64_t> any = atmost::parse_count(text, 0, UINT64_MAX);
  if (count.ok() && (!any.ok() || any.value() != count.value())) std::abort();
  const atmost::Result<unsigned> mode = atmost::parse_mode(text);
  if (mode.ok() && ((mode.value() & ~0777u) != 0 || (mode.value() & 0600u) != 0600u)) std::abort();
  const atmost::Result<std::int64_t> epoch = atmost::parse_epoch(text);
  if (epoch.ok() && epoch.value() < 0) std::abort();
  return 0;
}
