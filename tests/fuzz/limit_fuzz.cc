// A limit of record: any text but one that we write is refused, and what is read is within bounds.
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/local/limit.h"

namespace {

constexpr std::string_view kLock = "build.lock";

void require(bool holds) {
  if (!holds) std::abort();
}

void read(std::string_view text) {
  using namespace atmost;
  RecordedLimit limit;
  if (!local::parse_limit(text, kLock, limit)) return;
  require(limit.max >= 1 && limit.max <= kMaxSlots && limit.rate_count <= kMostRates);
  for (std::uint32_t i = 0; i < limit.rate_count; ++i) {
    const Rate& rate = limit.rates[i];
    require(rate.count >= 1 && rate.count <= kMaxRate);
    require(rate.window.ns > 0 && !rate.window.is_forever());
  }
  std::uint32_t names = limit.names.empty() ? 0 : 1;
  for (const char c : limit.names) names += c == ',' ? 1 : 0;
  require(names == 0 || names == limit.max);
  static char again[local::kLimitMost];
  const std::size_t size = local::format_limit(limit, kLock, again);
  require(std::string_view(again, size) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read(text);
  // Behind the lines that are the same in all.
  read("atmost limit 1\nlock build.lock\nmax " + text);
  read("atmost limit 1\nlock build.lock\nmax " + text + "\nend\n");
  return 0;
}
