// Packets between two processes of ours, with a descriptor where one is to be handed over.
#ifndef ATMOST_OS_PACKETS_H
#define ATMOST_OS_PACKETS_H

#include <cstddef>
#include <string_view>

#include "file.h"
#include "threads.h"

namespace atmost::os {

inline constexpr std::size_t kMostPacket = 4096;

// A socket pair: two ends, close-on-exec, none of 0, 1, 2; a packet that is sent on one is received
// on the other, whole. 0 or an errno value.
int open_packet_pair(Fd& one, Fd& other);

// Sends `what`, and a copy of the descriptor `passed` unless it is negative. False: the other end
// is closed everywhere (no SIGPIPE is raised), or does not read.
bool send_packet(int socket, std::string_view what, int passed = -1);

enum class Packet {
  received,
  closed,       // the other end is closed everywhere
  interrupted,  // a signal handler ran, here or at the wait's gate
  nothing,      // the time is over
};
// Waits at most `at_most_ms` (negative: without limit) for a packet, and receives it into `to`,
// which has room for kMostPacket bytes; a descriptor that came with it becomes `passed`.
// `opening`, unless it is null, is locked while such a descriptor is made and kept there.
Packet receive_packet(int socket, int at_most_ms, char* to, std::size_t& size, Fd& passed,
                      Mutex* opening = nullptr);

// True if the other end is closed everywhere. Does not block.
bool is_hung_up(int socket);

// Waits until one of the two is readable or hung up, or `at_most_ms` are over.
void wait_for_either(int one, int other, int at_most_ms);

}  // namespace atmost::os

#endif
