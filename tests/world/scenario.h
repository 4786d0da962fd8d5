// A world for a number: who asks for what, and how much goes wrong.
#ifndef ATMOST_TESTS_WORLD_SCENARIO_H
#define ATMOST_TESTS_WORLD_SCENARIO_H

#include <cstdint>

#include "world/script.h"

namespace world {

struct Limits {
  int callers = 8;  // 2 to so many
  int runs = 6;     // of each
};

// In half of the worlds nothing goes wrong: there, order and idle times are judged strictly.
Script scenario(std::uint64_t seed, const Limits& limits = {});

}  // namespace world

#endif
