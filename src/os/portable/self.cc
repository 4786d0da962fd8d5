#include "../self.h"

namespace atmost::os {

std::uint64_t boot_hash(std::uint64_t, std::uint64_t) { return 0; }

const bool kShedsMemory = false;
void shed_memory() {}

}  // namespace atmost::os
