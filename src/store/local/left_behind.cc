#include "left_behind.h"

#include <cerrno>

#include "holdings.h"
#include "os/keeper.h"
#include "os/process.h"
#include "os/process_label.h"
#include "os/self.h"

namespace atmost::local {
namespace {

constinit Holdings holdings;  // listing is for programs, which are single-threaded

bool has_ended(const HolderView& holder) {
  // What was seen to live costs nothing more.
  if (holder.process_state != 0 && holder.process_state != 'Z' && holder.process_state != 'X')
    return false;
  os::ProcessFacts facts;
  const int error = os::process_facts(holder.pid, facts);
  if (error == ESRCH) return !os::process_exists(holder.pid);
  return error == 0 && (facts.ended() || holder.process_state == 0);
}

}  // namespace

void name_who_is_left(const LockFile& file, HolderView& holder, bool& gathered) {
  if (holder.verified || !holder.has_record || holder.read_locked || holder.pid <= 0) return;
  if (!has_ended(holder)) return;
  if (!gathered) holdings.gather(file.identity());
  gathered = true;
  const std::int64_t byte = slot_byte(holder.slot);
  for (std::uint32_t i = 0; i < holdings.count(); ++i) {
    const Held& held = holdings[i];
    if (!held.write || held.start > byte || held.end < byte || held.pid == os::process_id())
      continue;
    os::ProcessLabel label;
    if (!os::process_label(held.pid, label)) continue;
    // Only of a supervisor is it known that it was another process: --exec in another pid namespace
    // has another number there. And only who was started under this very hold is left of it.
    const bool left =
        holder.kind == HolderKind::supervised && file.words_count() &&
        os::is_marked(held.pid, "ATMOST_TOKEN", static_cast<std::int64_t>(holder.token));
    holder.left_by = left ? holder.pid : 0;
    holder.pid = held.pid;
    holder.uid = label.user;
    holder.command = label.name;
    holder.verified = true;
    return;
  }
}

}  // namespace atmost::local
