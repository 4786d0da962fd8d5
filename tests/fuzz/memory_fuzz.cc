// Any bytes where a lock's memory and a directory's experience belong: taken for none of ours, or
// good for limits within their bounds, and for being written on.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "policy/learn.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace atmost;
  LockStats memory{};
  DirectoryStats experience{};
  const std::size_t first = size < sizeof memory ? size : sizeof memory;
  const std::size_t second = size - first < sizeof experience ? size - first : sizeof experience;
  std::memcpy(&memory, data, first);
  std::memcpy(&experience, data + first, second);
  if (!policy::is_plausible(memory) || !policy::is_plausible(experience)) return 0;
  LearnedBounds bounds;
  bounds.high = Duration::seconds(86400);
  for (std::uint32_t risk : {0u, 1u, 3000u, 500'000u}) {
    bounds.risk_ppm = risk;
    const Duration limit = policy::run_limit(memory, experience, bounds).limit;
    if (limit < bounds.low || limit > bounds.high) std::abort();
  }
  RunSample run;
  run.ran = Duration::seconds(5);
  policy::run_killed(memory, experience, run);
  policy::run_cut_short(memory, run);
  run.ran = Duration::seconds(7);
  policy::run_completed(memory, experience, run);
  if (!policy::is_plausible(memory) || !policy::is_plausible(experience)) std::abort();
  return 0;
}
