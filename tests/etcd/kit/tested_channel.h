// The way of this test's callers to etcd, by $ATMOST_TESTS_CHANNEL: the same tests have to pass
// over plain HTTP and over TLS.
#ifndef ATMOST_TESTS_ETCD_KIT_TESTED_CHANNEL_H
#define ATMOST_TESTS_ETCD_KIT_TESTED_CHANNEL_H

#include <cstdint>

namespace etcd_kit {

enum class Channel : std::uint8_t {
  plain,  // not set
  tls     // "tls": clusters without a certificate of their own get one
};

// Ends the process when the variable has another value.
Channel tested_channel();

}  // namespace etcd_kit

#endif
