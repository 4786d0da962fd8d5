// From a world that breaks an invariant to its short form and picture.
#ifndef ATMOST_TESTS_WORLD_SHORTEN_H
#define ATMOST_TESTS_WORLD_SHORTEN_H

#include "world/options.h"

namespace world {

// The world of the options' file or seed. Writes NAME.short.world and NAME.short.svg of it,
// and shows the short world. Throws std::runtime_error, also if it breaks nothing.
void shorten_world(const Options& options);

}  // namespace world

#endif
