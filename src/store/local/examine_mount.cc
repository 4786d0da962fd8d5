// Which filesystem the directory is on, and by which other ways its files are reached.
#include "core/words.h"
#include "examination.h"
#include "findings.h"
#include "mounts.h"
#include "os/byte_lock.h"
#include "os/directory.h"
#include "os/file.h"

namespace atmost::local {
namespace {

struct Known {
  std::string_view name;  // as os::filesystem_trust calls it
  std::string_view why;
};

constexpr std::string_view kServer =
    "a server keeps the locks: it may forget or grant them twice after a break, and keep those of "
    "the dead";
constexpr std::string_view kPrivate =
    "each mount keeps locks of its own: the same file under another path, or on the host, has "
    "others";
constexpr Known kReasons[] = {
    {"nfs", kServer},       {"cifs", kServer},      {"smb2", kServer},    {"smb", kServer},
    {"afs", kServer},       {"ceph", kServer},      {"lustre", kServer},  {"gpfs", kServer},
    {"coda", kServer},      {"gfs2", kServer},      {"ocfs2", kServer},   {"fuse", kPrivate},
    {"9p", kPrivate},       {"virtiofs", kPrivate}, {"vboxsf", kPrivate}, {"aufs", kPrivate},
    {"ecryptfs", kPrivate},
};

std::string_view why_not(std::string_view name) {
  for (const Known& known : kReasons) {
    if (known.name == name) return known.why;
  }
  return "nobody has tried whether it keeps locks as a local one does";
}

// The mount of the directory, copied out of the walk.
struct OwnMount final : MountVisitor {
  std::int64_t wanted = 0;
  bool found = false;
  Text<255> type;
  PathText point;
  PathText root;
  PathText upper;  // overlay's

  void mount(const Mount& mount) override {
    if (mount.id != wanted) return;
    found = true;
    type = Text<255>(mount.type);
    point = PathText(mount.point);
    root = PathText(mount.root);
    upper = PathText(option(mount.options, "upperdir"));
  }
};

// Other mounts that show the directory's files with locks of their own.
struct OtherWays final : MountVisitor {
  std::int64_t own = 0;
  PathText path;  // of the directory, without links
  std::uint32_t found = 0;

  void mount(const Mount& mount) override {
    if (mount.id == own) return;
    if (mount.type == "overlay") {
      if (lies_in(path, option(mount.options, "upperdir")))
        report(mount, "upper layer of the overlay");
      if (in_lower(option(mount.options, "lowerdir"))) report(mount, "lower layer of the overlay");
    } else if (mount.type.starts_with("fuse") && mount.source.starts_with("/") &&
               mount.source != "/" && !mount.source.starts_with("/dev/") &&
               lies_in(path, mount.source)) {
      report(mount, "source of the user-space filesystem");
    }
  }

 private:
  bool in_lower(std::string_view layers) const {
    while (!layers.empty()) {
      std::size_t size = layers.find(':');
      if (size == std::string_view::npos) size = layers.size();
      if (lies_in(path, {layers.data(), size})) return true;
      layers.remove_prefix(size < layers.size() ? size + 1 : size);
    }
    return false;
  }

  void report(const Mount& mount, std::string_view role) {
    if (++found > 8) return;
    Text<4400> what("this is the ");
    what.append(role).append(" mounted at ").append(mount.point);
    send({Level::warn, "other-paths", what,
          "whoever opens a lock file by that path sees other locks: N here and N there",
          "let everybody use one path"});
  }
};

void examine_overlay(const OwnMount& mount) {
  Text<4400> what("an overlay");
  if (!mount.upper.empty()) what.append(", whose files lie in ").append(mount.upper);
  send({Level::warn, "overlay", what,
        "the same file reached by its layer's own path, or from another container, has other "
        "locks, and that "
        "cannot be "
        "seen from here",
        "let everybody use one path; share locks among containers by a volume"});
}

// The path in the upper layer of what has `path` here; empty when that is not told.
PathText in_upper(const OwnMount& mount, std::string_view path) {
  PathText to;
  if (!mount.found || mount.type.view() != "overlay" || mount.upper.empty() ||
      !lies_in(path, mount.point))
    return to;
  to.append(mount.upper);
  if (mount.root.view() != "/") to.append(mount.root);
  const std::size_t skip = mount.point.view() == "/" ? 0 : mount.point.size();
  to.append({path.data() + skip, path.size() - skip});
  return to;
}

bool exists(const PathText& path) {
  struct stat status;
  return os::path_status(path.c_str(), status, false) == 0;
}

// Lock files of the image: every container begins with its own.
struct FromLower {
  PathText upper;  // the directory in the upper layer
  std::uint32_t count = 0;
  Text<255> first;
};

void look_at_name(void* context, std::string_view name) {
  FromLower& lower = *static_cast<FromLower*>(context);
  if (!name.ends_with(".lock")) return;
  PathText path = lower.upper;
  path.push('/').append(name);
  if (!exists(path) && ++lower.count == 1) lower.first = Text<255>(name);
}

void tell_from_lower(const FromLower& lower) {
  if (lower.count == 0) return;
  Text<400> what(lower.first);
  if (lower.count > 1) what.append(" and ").append_unsigned(lower.count - 1).append(" more");
  what.append(lower.count > 1 ? " come from a lower layer" : " comes from a lower layer");
  send({Level::warn, "lower-layer", what,
        "every overlay over that layer makes a copy with locks of its own",
        "remove them from the image: the first caller makes a new one"});
}

// The proof of what examine_overlay says, where both paths are in sight.
void try_both_paths(const TrialFile& file, const PathText& path, const PathText& upper) {
  os::Fd other;
  if (os::open_existing(path.c_str(), other) != 0) return;
  const os::Bytes byte = {8, 1};
  const auto owner = os::Owner::description;
  const bool here = os::try_lock(file.fd.get(), owner, os::Hold::write, byte) == 0;
  const bool there = os::try_lock(other.get(), owner, os::Hold::write, byte) == 0;
  os::unlock(file.fd.get(), owner, byte);
  if (!here || !there) return;
  Text<4400> what("tried: one exclusive lock was granted twice, here and by ");
  what.append(upper);
  send({Level::warn, "other-paths", what,
        "the overlay and its layer do not know of each other's locks",
        "let everybody use one path"});
}

}  // namespace

void examine_mount(const PathText& directory, int directory_fd) {
  OwnMount mount;
  mount.wanted = mount_of(directory_fd);
  if (mount.wanted != 0) (void)each_mount(mount);
  const char* name = "";
  const os::Trust trust = os::filesystem_trust(directory_fd, &name);
  Text<4600> what(mount.found ? mount.type.view() : name);
  if (trust == os::Trust::refused && mount.found && mount.type.view() != name)
    what.append(" (").append(name).append(")");
  if (trust == os::Trust::unknown && mount.found) what.append(" (unknown)");
  if (mount.found) what.append(" at ").append(mount.point);
  if (trust == os::Trust::trusted) {
    ok("filesystem", what);
    if (std::string_view(name) == "overlay") examine_overlay(mount);
    return;
  }
  Text<300> advice("use a local directory; if you know that it keeps locks, say --trust-fs");
  if (directory.view() == "/") advice = Text<300>("use a local directory");
  send({Level::fail, "filesystem", what, why_not(name), advice});
}

void examine_layers(const TrialFile& file, int directory_fd) {
  OtherWays ways;
  if (os::descriptor_path(directory_fd, ways.path) != 0) return;
  ways.own = mount_of(directory_fd);
  (void)each_mount(ways);
  OwnMount mount;
  mount.wanted = ways.own;
  (void)each_mount(mount);
  FromLower lower;
  lower.upper = in_upper(mount, ways.path);
  if (lower.upper.empty()) return;
  const std::string_view path = file.path.view();
  PathText trial = lower.upper;
  const std::size_t slash = path.rfind('/');
  trial.append({path.data() + slash, path.size() - slash});
  if (!exists(trial)) return;  // another namespace's path, not ours
  try_both_paths(file, trial, lower.upper);
  if (os::visit_names(ways.path.c_str(), look_at_name, &lower) == 0) tell_from_lower(lower);
}

}  // namespace atmost::local
