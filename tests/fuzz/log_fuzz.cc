// Events of arbitrary texts are formatted and logged: no byte beyond the memory of a line, each
// line is JSON, and no number is lost.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "log_trial.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static atmost::fuzz::LogTrial trial;
  if (const char* wrong = trial.run(data, size)) {
    std::fprintf(stderr, "%s\n", wrong);
    __builtin_trap();
  }
  return 0;
}
