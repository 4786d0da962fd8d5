// This process's place below others.
#ifndef ATMOST_STORE_ETCD_NESTING_H
#define ATMOST_STORE_ETCD_NESTING_H

#include <string_view>

namespace atmost::etcd {

// Whether the lock is held around this process (ATMOST_HELD says so).
bool is_around_us(std::string_view path);

}  // namespace atmost::etcd

#endif
