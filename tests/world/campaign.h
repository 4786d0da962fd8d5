// Many worlds, side by side in child processes.
#ifndef ATMOST_TESTS_WORLD_CAMPAIGN_H
#define ATMOST_TESTS_WORLD_CAMPAIGN_H

#include "world/options.h"
#include "world/report.h"

namespace world {

// Worlds of one seed after the other until the seconds are over. Prints the first seed, a line for
// each violation, and a last one. Ends sooner when many were found. Throws std::runtime_error.
Sum run_campaign(const Options& options);

}  // namespace world

#endif
