// Conditions that hold whatever a fuzzer makes up.
#ifndef ATMOST_TESTS_FUZZ_REQUIRE_H
#define ATMOST_TESTS_FUZZ_REQUIRE_H

#include <cstdlib>

// Aborts where it does not: libFuzzer takes that for a find, and keeps the input.
inline void require(bool holds) {
  if (!holds) std::abort();
}

#endif
