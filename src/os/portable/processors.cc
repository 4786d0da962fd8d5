#include "../self.h"

#include "../calls.h"

namespace atmost::os {

std::uint32_t processors() { return calls.processors(); }

}  // namespace atmost::os
