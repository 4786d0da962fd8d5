// The versions of etcd that keep leases as a lock needs it.
#ifndef ATMOST_STORE_ETCD_VERSIONS_H
#define ATMOST_STORE_ETCD_VERSIONS_H

#include <cstdint>
#include <string_view>

namespace atmost::etcd {

// etcd #15247: a leader that was stuck, and comes back when another leads, ends leases that were
// renewed at the new leader. Cured in 3.4.31, 3.5.13 and 3.6.0.
enum class Leases : std::uint8_t { kept, ended_early, unknown };

// `version` in a member's notation: "3.4.23", "3.6.0-rc.1". Unknown: it is not of that form.
Leases leases_of(std::string_view version);

}  // namespace atmost::etcd

#endif
