// The proof that a hold still exists, in a file that several machines use.
#ifndef ATMOST_STORE_LOCAL_HEARTBEAT_H
#define ATMOST_STORE_LOCAL_HEARTBEAT_H

#include <cstdint>

namespace atmost::local {

// Writes the `number`th heartbeat of the hold `token` of `slot`, and returns when the server has it
// on its disk: 0. An errno value: it is not known to have it; EIO: the server has freed the locks
// of `fd`, the descriptor that holds the slot. Blocks as long as the server does.
int beat(int fd, std::uint32_t slot, std::uint64_t token, std::uint64_t number);

}  // namespace atmost::local

#endif
