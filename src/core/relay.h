// The messages between the C library and atmost-relay: the library asks stores of many machines
// by a process of that program, which runs `atmost run` with a second one as its command.
#ifndef ATMOST_RELAY_H
#define ATMOST_RELAY_H

#include <string_view>

namespace atmost::relay {

inline constexpr const char* kProgram = "atmost-relay";

// atmost-relay ask SOCKET -- ARGUMENT...: of `atmost run`, up to LOCK.
// atmost-relay hold SOCKET: the command.
// SOCKET: the number of a descriptor, one end of a socket pair (os/packets.h).
inline constexpr const char* kAsk = "ask";
inline constexpr const char* kHold = "hold";

// To the library: admitted. "held TOKEN SLOT", with one end of a socket pair of which only the
// command has the other.
inline constexpr std::string_view kHeld = "held ";
// To the library: `atmost run` has ended. "over", then each on a line of its own: the exit code,
// kind ("busy", "too_soon", "ran", "failed"), reason, seconds to come back in ("null": never), how
// many are held, the lock, a message.
inline constexpr std::string_view kOver = "over\n";
// From the library to the one that asks: the lock is held; if the connection is closed from now
// on, the command goes on.
inline constexpr std::string_view kKeep = "keep";
// From the library to the command: the end of the work. If the connection is closed without it, it
// has failed.
inline constexpr std::string_view kSuccess = "success";
inline constexpr std::string_view kFailure = "failure";

}  // namespace atmost::relay

#endif
