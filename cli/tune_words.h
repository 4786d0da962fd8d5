// A lock's learned limits, for people.
#ifndef ATMOST_CLI_TUNE_WORDS_H
#define ATMOST_CLI_TUNE_WORDS_H

#include <string_view>

#include "core/stats.h"
#include "output.h"

namespace atmost::cli {

// The run times and the effect of auto now, in a few sentences.
void describe_limits(Output& to, std::string_view lock, const Tuning& tuning,
                     const LearnedBounds& bounds);

// Every figure and its source, a line each.
void tell_in_detail(Output& to, std::string_view lock, const Tuning& tuning,
                    const LearnedBounds& bounds);

}  // namespace atmost::cli

#endif
