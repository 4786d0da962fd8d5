#include "ask_holder.h"

#include "holder_scan.h"
#include "os/byte_lock.h"
#include "os/process.h"

namespace atmost::local {

SignalResult ask_holder(LockFile& file, std::uint32_t slot, std::uint64_t hold, SignalStep step) {
  SignalResult result;
  if (!is_held(file, slot)) return result;
  Record record;
  HolderView holder;
  const bool known = read_record(file.fd(), slot, record);
  if (known) view_of(record, file.identity(), holder);
  result.held = known && holder.token == hold;
  if (!known) result.held = result.unprovable = true;
  result.token = holder.token;
  result.pid = holder.pid;
  result.host = holder.host;
  result.id = holder.id;
  result.command = holder.command;
  result.start = holder.start;
  if (!result.held || !known || step == SignalStep::look) return result;
  result.unprovable = holder.host.empty();
  const bool here = record.boot == file.identity().boot;
  result.ancestor = here && os::is_ancestor(holder.pid);
  if (result.unprovable || result.ancestor || step == SignalStep::prove) return result;
  const int error =
      os::try_lock(file.fd(), os::Owner::description, os::LockKind::write, {ask_byte(slot), 1});
  result.noted = error == 0;
  result.signalled = error == 0 ? 1 : 0;
  return result;
}

}  // namespace atmost::local
