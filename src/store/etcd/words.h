// The errors that several files report.
#ifndef ATMOST_STORE_ETCD_WORDS_H
#define ATMOST_STORE_ETCD_WORDS_H

#include <string>
#include <string_view>

#include "core/result.h"
#include "gateway.h"

namespace atmost::etcd {

// The reason why a request had no result.
Error failure(const Answer& answer, std::string_view what);

// True if etcd refused because a lease that the request named does not exist.
bool lease_is_gone(const Answer& answer);

// A key below a lock that this version of atmost did not write so.
Error alien_key(std::string_view key);

}  // namespace atmost::etcd

#endif
