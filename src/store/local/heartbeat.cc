#include "heartbeat.h"

#include "hints.h"
#include "layout.h"
#include "os/clock.h"
#include "os/file.h"

namespace atmost::local {

int beat(int fd, std::uint32_t slot, std::uint64_t token, std::uint64_t number) {
  Heartbeat record = {token, number, os::now().real_ns, 0};
  record.checksum = checksum_of(&record, sizeof record - sizeof record.checksum);
  if (const int error = os::write_at(fd, &record, sizeof record, heartbeat_at(slot))) return error;
  return os::sync_data(fd);
}

}  // namespace atmost::local
