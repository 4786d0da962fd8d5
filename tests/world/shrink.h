// A shorter world that breaks the same invariant, by leaving out what it breaks without (delta
// debugging: Zeller, Hildebrandt: Simplifying and isolating failure-inducing input, IEEE
// Transactions on Software Engineering 28, 2002).
#ifndef ATMOST_TESTS_WORLD_SHRINK_H
#define ATMOST_TESTS_WORLD_SHRINK_H

#include <functional>
#include <string>

#include "world/script.h"

namespace world {

// The invariant that a world breaks; empty: none.
using Breaks = std::function<std::string(const Script&)>;
// Asked before each trial; false: what was reached is the result.
using GoOn = std::function<bool()>;

// `script` lists its events and breaks `script.breaks`. Without any single part of it, the result
// breaks another promise or none. A caller that is left out keeps its number and has no run: the
// others' numbers mean what they meant.
Script shorten(
    Script script, const Breaks& breaks, const GoOn& go_on = [] { return true; });

}  // namespace world

#endif
