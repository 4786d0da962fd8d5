#include "../self.h"

namespace atmost::os {

std::uint64_t boot_hash() { return 0; }

const bool kShedsMemory = false;
void shed_memory() {}

}  // namespace atmost::os
