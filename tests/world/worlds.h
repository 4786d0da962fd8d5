// Worlds in this process, one after the other.
#ifndef ATMOST_TESTS_WORLD_WORLDS_H
#define ATMOST_TESTS_WORLD_WORLDS_H

#include <string>

#include "world/options.h"
#include "world/report.h"
#include "world/script.h"

namespace world {

// Both throw std::runtime_error.
Script read_world(const std::string& path);
void write_file(const std::string& path, const std::string& text);

// The worlds of `count` seeds (1 unless given), or of the file. Prints a line for each violation
// and a last one. A world of a seed that breaks an invariant is written as a file with all that
// was done in it. Returns what they came to.
Sum run_worlds(const Options& options);

}  // namespace world

#endif
