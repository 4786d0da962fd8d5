// LocalSession: the answer where the guard cannot be had, or another program's lock is in the way
// (docs/internals/lock-map.md, "Foreign locks").
#include "listing.h"
#include "os/process.h"
#include "os/self.h"
#include "session.h"

namespace atmost::local {

void LocalSession::refuse_guard(LockFile::Guarded found, std::uint32_t culprit, rule::Looked& to) {
  const LockFile& file = entry(culprit).file;
  Decision& answer = to.refuse(Why::guard);
  answer.lock = culprit;
  if (found == LockFile::Guarded::timeout) {
    // That looks at every process. A caller that does not wait for the guard asks again, and
    // learns it then.
    if (blocking_ != os::Blocking::never) answer.culprit = guard_holder(file);
    return;
  }
  // Without the guard nothing but the foreign lock is known.
  os::Conflict conflict;
  (void)os::query_lock(file.fd(), os::Owner::description, os::LockKind::write, kGuard, conflict);
  const rule::Foreign foreign = foreign_of(file, conflict, foreign_seen_);
  answer.why = foreign.own_tree ? Why::ancestor : Why::foreign;
  answer.foreign_whole = foreign.whole;
  answer.culprit = foreign.pid;
}

rule::Foreign foreign_of(const LockFile& file, const os::Conflict& conflict, ForeignSeen& seen) {
  rule::Foreign foreign;
  foreign.whole = is_whole(conflict);
  if (file.identity().across) return foreign;
  foreign.pid = conflict.pid > 0 ? conflict.pid : 0;
  if (foreign.pid == 0 && file.blocking() != os::Blocking::never) {
    const os::Bytes& bytes = conflict.bytes;
    const bool looked = seen.bytes.start == bytes.start && seen.bytes.length == bytes.length;
    if (!looked) seen.pid = locker_of(file, bytes.start);
    seen.bytes = bytes;
    foreign.pid = seen.pid;
  }
  // A holder that waits for us, or is this very process, never ends its hold.
  foreign.own_tree =
      foreign.pid > 0 && (foreign.pid == os::process_id() || os::is_ancestor(foreign.pid));
  return foreign;
}

}  // namespace atmost::local
