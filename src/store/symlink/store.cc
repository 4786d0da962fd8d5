#include "store.h"

#include "link.h"
#include "os/clock.h"
#include "os/process.h"
#include "os/self.h"
#include "session.h"

namespace atmost::symlink {

Result<Owned<Session>> SymlinkStore::open_for(const Request& request, OpenTo how) {
  Result<Owned<SymlinkSession>> session = open_session(request, how);
  if (!session.ok()) return session.error();
  return Owned<Session>(std::move(session.value()));
}

Result<std::uint32_t> SymlinkStore::inspect(const LockSpec& lock, const Instant& now,
                                            LockVisitor* visitor) {
  LockNames names;
  if (Status located = locate(lock.path, names); !located.ok()) return located.error();
  Snapshot snapshot;
  if (const int error = look(names.name.c_str(), snapshot))
    return failure(names.name, error, "cannot be examined");
  if (snapshot.kind == Snapshot::Kind::alien) {
    return failure(names.name, Code::io, "is not a symlink lock (pid= time= ttl= psid= id=)");
  }
  LockVisitor::Header header;
  header.exists = snapshot.kind == Snapshot::Kind::lock;
  header.token = header.exists ? snapshot.target.token : 0;
  if (visitor != nullptr) visitor->header(header);
  if (!header.exists || over(snapshot, now, os::boot_hash(), nullptr)) return std::uint32_t{0};
  if (visitor == nullptr) return std::uint32_t{1};
  const Target& target = snapshot.target;
  HolderView holder;
  holder.slot = 1;
  holder.kind = target.ours ? HolderKind::supervised : HolderKind::foreign;
  holder.has_record = true;
  holder.pid = target.pid;
  holder.uid = snapshot.uid;
  holder.token = target.token;
  if (target.time_s < INT64_MAX / 1'000'000'000)
    holder.start = {target.time_s * 1'000'000'000, 0, false, true};
  holder.expire_after =
      target.ttl_s >= kNoExpiry ? Duration::forever() : Duration::seconds(target.ttl_s);
  holder.id = target.id;
  os::ProcessFacts facts;
  if (os::process_facts(target.pid, facts) == 0) {
    holder.process_state = facts.state;
    holder.verified = target.ours && facts.start_boot_ns == target.start_ns;
  }
  visitor->holder(holder);
  return std::uint32_t{1};
}

Result<bool> let_go(const LockSpec& lock, std::int64_t pid) {
  LockNames names;
  if (Status located = locate(lock.path, names); !located.ok()) return located.error();
  const std::uint64_t boot = os::boot_hash();
  Snapshot snapshot;
  if (const int error = look(names.name.c_str(), snapshot))
    return failure(names.name, error, "cannot be examined");
  const Target& target = snapshot.target;
  if (snapshot.kind != Snapshot::Kind::lock || !target.ours || target.pid != pid) return false;
  const Instant now = os::now();
  if (over(snapshot, now, boot, nullptr)) return false;
  if (os::user_id() != 0 && snapshot.uid != os::user_id()) {
    return failure(names.name, Code::not_permitted,
                   "is another user's: only that user or root may release it");
  }
  MutexText mutex;
  mutex.identity = {target.pid, target.start_ns, target.boot};
  mutex.until_s = target.ttl_s >= kNoExpiry ? 0 : target.time_s + target.ttl_s;
  mutex.token = target.token;
  remove_lock(names, mutex, snapshot.text, boot);
  return true;
}

}  // namespace atmost::symlink
