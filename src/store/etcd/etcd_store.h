// Locks in etcd, through its JSON gateway (docs/fleet.md).
#ifndef ATMOST_STORE_ETCD_ETCD_STORE_H
#define ATMOST_STORE_ETCD_ETCD_STORE_H

#include <string_view>

#include "atmost/store.h"

namespace atmost::etcd {

// The store that etcd://HOST:PORT[,HOST:PORT...]/PREFIX names; one for the process, never given back. Asks nothing of the
// network yet. Errors (usage) do not repeat the URL.
Result<FleetStore*> open_store(std::string_view url);

}  // namespace atmost::etcd

#endif
