#include "table_kit.h"

namespace atmost::rule {

void TestFacts::break_down() { fail(error_of(Code::io, 0, "broken")); }
bool TestFacts::ancestor() { return own_tree; }
bool TestFacts::has_bell(std::uint64_t ticket) { return ticket == bell; }
Flock TestFacts::flock() { return flocked; }

}  // namespace atmost::rule
