// A lock file of arbitrary bytes is inspected, asked and released: no crash, no hang, never more
// than N.
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "lock_file_trial.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static atmost::fuzz::LockFileTrial trial;
  if (const char* wrong = trial.run_bytes(data, size)) {
    std::fprintf(stderr, "%s\n", wrong);
    __builtin_trap();
  }
  return 0;
}
