#include "link.h"

#include <cerrno>

#include "os/directory.h"
#include "os/file.h"
#include "os/link.h"

namespace atmost::symlink {
namespace {

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

}  // namespace atmost::symlink
