// A world from its beginning to its end: the product's code on the simulated kernel, under the eyes
// of a witness.
#ifndef ATMOST_TESTS_WORLD_WORLD_H
#define ATMOST_TESTS_WORLD_WORLD_H

#include "world/result.h"
#include "world/script.h"

namespace world {

struct RunOptions {
  bool real_processes = false;  // instead of fibers
  bool trace = false;           // Result::trace
  bool marks = false;           // Result::marks
};

// Runs the script's events, or draws them; the result lists them. `breaks` is "world" if the
// machinery itself failed. One at a time in a process.
Result run(const Script& script, const RunOptions& options);

}  // namespace world

#endif
