#include "snapshot.h"

#include <cerrno>

#include "os/clock.h"
#include "os/file.h"
#include "os/link.h"
#include "process_identity.h"

namespace atmost::symlink {
namespace {

// A link's time and a process's start come in steps of up to 10 ms each, and filesystems without
// fractions cut a whole second off; a number is not given away again so soon.
constexpr std::int64_t kSlackNs = 2'000'000'000;

std::int64_t made_at(const struct stat& status) {
  return static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec;
}

bool same_file(const struct stat& one, const struct stat& other) {
  return one.st_ino == other.st_ino && one.st_dev == other.st_dev && made_at(one) == made_at(other);
}

bool began_after(const os::ProcessFacts& facts, std::int64_t made_ns) {
  const Instant now = os::now();
  return now.real_ns - (now.boot_ns - facts.start_boot_ns) > made_ns + kSlackNs;
}

bool is_another(const Snapshot& lock) {
  std::int64_t parent = 0;
  std::int64_t group = 0;
  os::ProcessFacts facts;
  if (!parse_psid(lock.target.psid, parent, group)) return false;
  if (os::process_facts(lock.target.pid, facts) != 0 || facts.start_boot_ns == 0) return false;
  return (facts.parent != parent || facts.group != group) && began_after(facts, lock.made_ns);
}

}  // namespace

int look(const char* path, Snapshot& to) {
  for (;;) {
    struct stat before;
    struct stat after;
    to.kind = Snapshot::Kind::absent;
    int error = os::path_status(path, before, false);
    if (error != 0) return error == ENOENT ? 0 : error;
    to.kind = Snapshot::Kind::alien;
    to.inode = before.st_ino;
    to.made_ns = made_at(before);
    to.uid = before.st_uid;
    if (!S_ISLNK(before.st_mode)) return 0;
    error = os::read_link(path, to.text);
    if (error == ENAMETOOLONG) return 0;
    if (error == ENOENT || error == EINVAL) continue;
    if (error == 0) error = os::path_status(path, after, false);
    if (error == ENOENT) continue;
    if (error != 0) return error;
    if (!same_file(before, after)) continue;
    if (parse_target(to.text, to.target)) to.kind = Snapshot::Kind::lock;
    return 0;
  }
}

bool same(const Snapshot& one, const Snapshot& other) {
  return one.kind == other.kind && one.inode == other.inode && one.text.view() == other.text.view();
}

bool over(const Snapshot& lock, const Instant& now, std::uint64_t boot, os::ProcessHandle* handle) {
  if (now.real_ns >= expiry_ns(lock.target)) return true;
  const Target& target = lock.target;
  const ProcessIdentity identity = target.ours
                                       ? ProcessIdentity{target.pid, target.start_ns, target.boot}
                                       : ProcessIdentity{target.pid, 0, 0};
  if (!lives(identity, boot, handle)) return true;
  return !target.ours && is_another(lock);
}

}  // namespace atmost::symlink
