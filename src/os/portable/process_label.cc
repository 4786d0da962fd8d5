#include "../process_label.h"

namespace atmost::os {

bool process_label(std::int64_t, ProcessLabel&) { return false; }

}  // namespace atmost::os
