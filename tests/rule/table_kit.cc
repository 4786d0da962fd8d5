#include "table_kit.h"

namespace atmost::rule {

void TestFacts::break_down() { fail(error_of(Code::io, 0, "broken")); }
bool TestFacts::ancestor() { return own_tree; }
bool TestFacts::sleeps(std::uint64_t ticket) { return ticket == sleeper; }
Flock TestFacts::flock() { return flocked; }

}  // namespace atmost::rule
