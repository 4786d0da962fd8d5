// Which store a URL means.
#ifndef ATMOST_LIBEXEC_FLEET_STORES_H
#define ATMOST_LIBEXEC_FLEET_STORES_H

#include <string_view>

#include "core/result.h"

namespace atmost {

// The variables with secrets of all stores.
inline constexpr const char* kSecrets[] = {"ATMOST_ETCD_PASSWORD", "ATMOST_ETCD_TOKEN",
                                           "ATMOST_POSTGRES_PASSWORD"};

// Opens it and hands it to the limiter. Asks nothing of the network yet. Takes kSecrets out of the
// environment, those of the other stores too: the command has no use for them. Errors do not repeat
// the URL.
Status bring_fleet_store(std::string_view url);

}  // namespace atmost

#endif
