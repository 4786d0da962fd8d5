// How callers of this test get to etcd, by $ATMOST_TESTS_CHANNEL: the same tests have to pass over
// each of atmost's HTTP channels (store/etcd/channel.h).
#ifndef ATMOST_TESTS_ETCD_KIT_TESTED_CHANNEL_H
#define ATMOST_TESTS_ETCD_KIT_TESTED_CHANNEL_H

#include <cstdint>
#include <string>

namespace etcd_kit {

enum class Channel : std::uint8_t {
  plain,    // not set: http by atmost's own channel
  libcurl,  // "libcurl": http by the module, for tests that read or change what is sent
  tls       // "tls": clusters without a certificate of their own get one
};

// Ends the process when the variable has another value. What Channel::libcurl needs from callers'
// environments is in this process's from the first call on.
Channel tested_channel();

// How callers name this machine. By "127.0.0.1" they would never ask the module for http.
std::string callers_loopback();

}  // namespace etcd_kit

#endif
