#include <cstdlib>
#include <string>

#include "core/programs.h"
#include "os/packets.h"
#include "os/spawn.h"
#include "relay.h"

namespace atmost::relay {
namespace {

std::string from_environment(const char* name) {
  const char* const value = getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

int hold(int socket) {
  os::Fd ours;
  os::Fd theirs;
  if (os::open_packet_pair(ours, theirs) != 0) return 1;
  const std::string held =
      std::string(kHeld) + from_environment("ATMOST_TOKEN") + " " + from_environment("ATMOST_SLOT");
  if (!os::send_packet(socket, held, theirs.get())) return 1;
  theirs.reset();
  // The supervisor has `socket`, too, so that it would stay open after this process: a connection
  // of this process alone shows its end.
  const int kept = ours.get();
  os::close_all_but(&kept, 1, 0);
  char packet[os::kMostPacket];
  std::size_t size = 0;
  for (;;) {
    os::Fd passed;
    const os::Packet got = os::receive_packet(kept, -1, packet, size, passed);
    if (got == os::Packet::received) return std::string_view(packet, size) == kSuccess ? 0 : 1;
    if (got == os::Packet::closed) return 1;
  }
}

}  // namespace atmost::relay
