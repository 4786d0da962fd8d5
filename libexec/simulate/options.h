// The options of `atmost simulate`.
#ifndef ATMOST_LIBEXEC_SIMULATE_OPTIONS_H
#define ATMOST_LIBEXEC_SIMULATE_OPTIONS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/stats.h"
#include "trace.h"

namespace atmost::simulate {

struct Options {
  bool json = false;
  bool quiet = false;
  Split split = Split::none;
  std::size_t min_runs = 30;
  std::size_t slots = 0;  // 0: each run starts at its moment in the log
  LearnedBounds bounds;
  Duration no_limit{};  // 0: bounds.high, or a day
  std::vector<std::uint32_t> risks_ppm;
  std::string trace;
};

// False: --help or --version was given, and is answered. Throws Failure (usage).
bool read_arguments(int argc, char** argv, Options& to);

}  // namespace atmost::simulate

#endif
