// A line of a workload log from anybody is read or refused, and an accepted one is in range.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "simulate/trace.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace atmost::simulate;
  Job job;
  if (read_swf({reinterpret_cast<const char*>(data), size}, job) != Swf::job) return 0;
  constexpr std::int64_t kCentury = 3'200'000'000'000'000'000;
  if (job.start_ns < 0 || job.start_ns > kCentury || job.ran_ns > kCentury) std::abort();
  return 0;
}
