// Random steps on a model and on the real kernel, until they differ: what the programs that compare
// have in common.
//
//   compare_NAME [seed=N] [steps=N] [seconds=N]
//
// ends after as many steps, or seconds, as are given; one minute otherwise. The seeds from the
// given one on are made one after the other, a few thousand steps each. Prints the seed of a
// difference, and the shortest list of steps with which it was seen again.
#ifndef ATMOST_TESTS_WORLD_COMPARISON_H
#define ATMOST_TESTS_WORLD_COMPARISON_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace world {

struct Found {
  std::vector<std::uint64_t> steps;  // their numbers; the last one differs
  std::string what;                  // and the state, in lines
};

struct Counts {
  std::uint64_t steps = 0;                  // that were made
  std::map<std::string, std::uint64_t> of;  // what happened how often
};

class Comparison {
 public:
  virtual ~Comparison() = default;
  // Makes the listed steps of a seed; if none is listed, the first `most` that can be made.
  virtual std::optional<Found> run(std::uint64_t seed, std::uint64_t most,
                                   const std::vector<std::uint64_t>& listed, Counts& counts) = 0;
  virtual std::string text(std::uint64_t seed, std::uint64_t step) const = 0;
};

// The exit code: 0, 1 (they differ) or 64 (usage). Runs in a folder of its own.
int compare(int argc, char** argv, std::uint64_t steps_of_one_seed, Comparison& comparison);

}  // namespace world

#endif
