// Which store a URL means.
#ifndef ATMOST_LIBEXEC_FLEET_STORES_H
#define ATMOST_LIBEXEC_FLEET_STORES_H

#include <string_view>

#include "atmost/result.h"

namespace atmost {

// Opens it and hands it to the limiter. Asks nothing of the network yet. Errors do not repeat the URL.
Status bring_fleet_store(std::string_view url);

}  // namespace atmost

#endif
