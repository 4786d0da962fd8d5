#include "link.h"

#include <cerrno>

#include "mutex_link.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/self.h"

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

constexpr int kTries = 64;

constexpr std::string_view kAlien =
    "is not a symlink lock (pid= time= ttl= psid= id=) and was left alone; name something that "
    "does not "
    "exist yet";

enum class Swap : std::uint8_t { done, retry, failed };

// Puts the link that came out of NAME back. If another link has taken NAME meanwhile, that is not
// possible, and the old one is removed.
void put_back(const char* from, const char* to) {
  if (os::move_to_free_name(from, to) == EEXIST) os::remove_name(from);
}

bool is(const char* path, const Snapshot& expected) {
  Snapshot found;
  return look(path, found) == 0 && same(found, expected);
}

// REQUIRES: our link stands under `spare`.
Swap exchange(const LockNames& names, const PathText& spare, const Snapshot& old, int& error) {
  error = os::exchange_names(spare.c_str(), names.name.c_str());
  if (error != 0) {
    os::remove_name(spare.c_str());
    return error == ENOENT ? Swap::retry : Swap::failed;
  }
  if (is(spare.c_str(), old)) {
    os::remove_name(spare.c_str());
    return Swap::done;
  }
  // Another process has removed the old link and made its own since we looked.
  if (os::exchange_names(spare.c_str(), names.name.c_str()) == 0) {
    os::remove_name(spare.c_str());
  } else {
    put_back(spare.c_str(), names.name.c_str());
  }
  return Swap::retry;
}

// For filesystems where exchange() fails.
Swap move_away(const LockNames& names, const PathText& spare, const Snapshot& old, int& error) {
  error = os::rename_file(names.name.c_str(), spare.c_str());
  if (error == ENOENT) return Swap::retry;
  if (error != 0) return Swap::failed;
  if (is(spare.c_str(), old)) {
    os::remove_name(spare.c_str());
  } else {
    put_back(spare.c_str(), names.name.c_str());
  }
  return Swap::retry;
}

Swap replace(const LockNames& names, const PathText& spare, const PathText& text,
             const Snapshot& old, int& error) {
  error = os::make_link(text.c_str(), spare.c_str());
  if (error != 0) return Swap::failed;
  const Swap swap = exchange(names, spare, old, error);
  return error == ENOTSUP ? move_away(names, spare, old, error) : swap;
}

struct Sweep {
  const LockNames& names;
  std::string_view mutex_text;
  const Instant& now;
  std::uint64_t boot;

  void visit(std::string_view name) const {
    const NameKind kind = kind_of(names, name);
    if (kind == NameKind::none) return;
    PathText path = names.directory;
    path.push('/').append(name);
    Snapshot found;
    if (kind == NameKind::claim) {
      if (!claims_removal_of(names, name, mutex_text)) os::remove_name(path.c_str());
    } else if (look(path.c_str(), found) == 0 && found.kind == Snapshot::Kind::lock) {
      if (kind == NameKind::leftover || over(found, now, boot, nullptr))
        os::remove_name(path.c_str());
    }
  }
};

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

Result<TryLock> take_link(const LockNames& names, const PathText& spare, const PathText& text,
                          const Instant& now, std::uint64_t boot) {
  for (int i = 0; i < kTries; ++i) {
    int error = os::make_link(text.c_str(), names.name.c_str());
    if (error == 0) return TryLock::held;
    if (error != EEXIST) return failure(names.name, error, "the lock link cannot be made");
    Snapshot old;
    error = look(names.name.c_str(), old);
    if (error != 0) return failure(names.name, error, "cannot be examined");
    if (old.kind == Snapshot::Kind::absent) continue;
    if (old.kind == Snapshot::Kind::alien) return failure(names.name, Code::io, kAlien);
    if (!over(old, now, boot, nullptr)) return TryLock::busy;
    const Swap swap = replace(names, spare, text, old, error);
    if (swap == Swap::done) return TryLock::held;
    if (swap == Swap::failed)
      return failure(names.name, error, "its holder has ended, but the link cannot be removed");
  }
  return TryLock::busy;
}

void leave_link(const LockNames& names, const PathText& spare, const PathText& text) {
  Snapshot own;
  if (look(names.name.c_str(), own) != 0 || own.kind != Snapshot::Kind::lock ||
      own.text.view() != text.view())
    return;
  int ignored = 0;
  (void)move_away(names, spare, own, ignored);
}

void sweep(const LockNames& names, std::string_view mutex_text, const Instant& now,
           std::uint64_t boot) {
  const Sweep task{names, mutex_text, now, boot};
  os::visit_names(
      names.directory.c_str(),
      [](void* context, std::string_view name) { static_cast<const Sweep*>(context)->visit(name); },
      const_cast<Sweep*>(&task));
}

void remove_lock(const LockNames& names, const MutexText& mutex, const PathText& text,
                 std::uint64_t boot) {
  const ProcessIdentity self = identity_of(os::process_id(), boot);
  Claim claim;
  // If the mutex has an expiry or belongs to another process, it may be over and about to be
  // removed by another caller: then the right to remove it decides.
  if (mutex.until_s != 0 || mutex.identity.pid != self.pid) {
    const Result<TryLock> claimed = claim_removal(names, format_mutex(mutex), self, claim);
    if (!claimed.ok() || claimed.value() == TryLock::busy) return;
  }
  leave_link(names, spare_name(names, self.pid, mutex.token), text);
  leave_mutex(names, mutex);
  drop_claim(claim);
}

}  // namespace atmost::symlink
