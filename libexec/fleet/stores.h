// The store that this program serves, chosen when it is built (CMakeLists.txt).
#ifndef ATMOST_LIBEXEC_FLEET_STORES_H
#define ATMOST_LIBEXEC_FLEET_STORES_H

#include "core/limiter.h"

namespace atmost {

extern const StoreService kService;

}  // namespace atmost

#endif
