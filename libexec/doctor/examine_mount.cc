// Examines the filesystem of the directory, and the other paths to its files.
#include "core/words.h"
#include "examination.h"
#include "message.h"
#include "os/file.h"
#include "os/locks.h"
#include "os/mounts.h"
#include "store/local/nfs_mount.h"

namespace atmost::doctor {
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
  return "it is not known whether it keeps locks as a local one does";
}

// The mount of the directory, copied out of the walk.
struct OwnMount final : os::MountVisitor {
  std::int64_t wanted = 0;
  bool found = false;
  std::string type;
  std::string point;
  std::string root;
  std::string upper;  // overlay's

  void mount(const os::Mount& mount) override {
    if (mount.id != wanted) return;
    found = true;
    type = mount.type;
    point = mount.point;
    root = mount.root;
    upper = os::option(mount.options, "upperdir");
  }
};

// Other mounts that show the directory's files with locks of their own.
struct OtherWays final : os::MountVisitor {
  std::int64_t own = 0;
  std::string path;  // of the directory, without links
  std::uint32_t found = 0;

  void mount(const os::Mount& mount) override {
    if (mount.id == own) return;
    if (mount.type == "overlay") {
      if (os::lies_in(path, os::option(mount.options, "upperdir")))
        report(mount, "upper layer of the overlay");
      if (in_lower(os::option(mount.options, "lowerdir")))
        report(mount, "lower layer of the overlay");
    } else if (mount.type.starts_with("fuse") && mount.source.starts_with("/") &&
               mount.source != "/" && !mount.source.starts_with("/dev/") &&
               os::lies_in(path, mount.source)) {
      report(mount, "source of the user-space filesystem");
    }
  }

 private:
  bool in_lower(std::string_view layers) const {
    while (!layers.empty()) {
      std::size_t size = layers.find(':');
      if (size == std::string_view::npos) size = layers.size();
      if (os::lies_in(path, {layers.data(), size})) return true;
      layers.remove_prefix(size < layers.size() ? size + 1 : size);
    }
    return false;
  }

  void report(const os::Mount& mount, std::string_view role) {
    if (++found > 8) return;
    send({Level::doubtful, "other-paths",
          "this is the " + std::string(role) + " mounted at " + std::string(mount.point),
          "a process that opens a lock file by that path sees other locks: N here and N there",
          "let everybody use one path"});
  }
};

void examine_overlay(const OwnMount& mount) {
  std::string what = "an overlay";
  if (!mount.upper.empty()) what += ", whose files lie in " + mount.upper;
  send({Level::doubtful, "overlay", what,
        "the same file reached by its layer's own path, or from another container, has other "
        "locks, and that "
        "cannot be "
        "seen from here",
        "let everybody use one path; share locks among containers by a volume"});
}

// The path in the upper layer of what has `path` here; empty when that is not known.
std::string in_upper(const OwnMount& mount, const std::string& path) {
  if (!mount.found || mount.type != "overlay" || mount.upper.empty() ||
      !os::lies_in(path, mount.point))
    return {};
  return mount.upper + (mount.root == "/" ? "" : mount.root) +
         path.substr(mount.point == "/" ? 0 : mount.point.size());
}

bool exists(const std::string& path) {
  struct stat status;
  return os::path_status(path.c_str(), status, false) == 0;
}

// Lock files of the image: every container begins with its own. `upper`: the directory in the
// upper layer.
void examine_lower_layer(const std::string& directory, const std::string& upper) {
  std::vector<std::string> found;
  for (const std::string& name : names_in(directory)) {
    if (name.ends_with(".lock") && !exists(upper + "/" + name)) found.push_back(name);
  }
  if (found.empty()) return;
  std::string what = found[0];
  if (found.size() > 1) what += " and " + std::to_string(found.size() - 1) + " more";
  what += found.size() > 1 ? " come from a lower layer" : " comes from a lower layer";
  send({Level::doubtful, "lower-layer", what,
        "every overlay over that layer makes a copy with locks of its own",
        "remove them from the image: the first caller makes a new one"});
}

// Proves the finding of examine_overlay where both paths can be reached.
void try_both_paths(const TrialFile& file, const std::string& path, const std::string& upper) {
  os::Fd other;
  if (os::open_existing(path.c_str(), other) != 0) return;
  const os::Bytes byte = {8, 1};
  const auto owner = os::Owner::description;
  const bool here = os::try_lock(file.fd.get(), owner, os::LockKind::write, byte) == 0;
  const bool there = os::try_lock(other.get(), owner, os::LockKind::write, byte) == 0;
  os::unlock(file.fd.get(), owner, byte);
  if (!here || !there) return;
  send({Level::doubtful, "other-paths",
        "tried: one exclusive lock was granted twice, here and by " + upper,
        "the overlay and its layer do not know of each other's locks",
        "let everybody use one path"});
}

// A fact that a client cannot know: the time for which the server keeps the locks of a silent
// machine.
void report_nfs(const local::NfsMount& nfs, std::string what) {
  what += ", version " + std::string(nfs.version.view());
  std::string advice = "use a local directory, or a store of a fleet (etcd, PostgreSQL)";
  if (local::is_cured_by_options(nfs.fault)) {
    advice += "; -o vers=4.2,hard is better, but not enough without --trust-fs";
  } else {
    advice += "; if two commands may run for a while when a machine loses the server, --trust-fs";
  }
  send({Level::bad, "filesystem", what, std::string(local::reason_against(nfs.fault)), advice});
}

}  // namespace

void examine_mount(const std::string& directory, int directory_fd) {
  OwnMount mount;
  mount.wanted = os::mount_of(directory_fd);
  if (mount.wanted != 0) (void)os::each_mount(mount);
  const char* name = "";
  const os::Trust trust = os::filesystem_trust(directory_fd, &name);
  std::string what = mount.found ? mount.type : name;
  if (trust == os::Trust::refused && mount.found && mount.type != name)
    what += std::string(" (") + name + ")";
  if (trust == os::Trust::unknown && mount.found) what += " (unknown)";
  if (mount.found) what += " at " + mount.point;
  if (trust == os::Trust::trusted) {
    report_good("filesystem", what);
    if (std::string_view(name) == "overlay") examine_overlay(mount);
    return;
  }
  if (trust == os::Trust::refused && std::string_view(name) == "nfs") {
    const local::NfsMount nfs = local::nfs_mount_of(directory_fd);
    if (nfs.fault != local::NfsFault::unknown) return report_nfs(nfs, what);
  }
  std::string advice = "use a local directory";
  if (directory != "/") advice += "; if you know that it keeps locks, say --trust-fs";
  send({Level::bad, "filesystem", what, why_not(name), advice});
}

void examine_layers(const TrialFile& file, int directory_fd) {
  PathText found;
  if (os::descriptor_path(directory_fd, found) != 0) return;
  OtherWays ways;
  ways.path = found.view();
  ways.own = os::mount_of(directory_fd);
  (void)os::each_mount(ways);
  OwnMount mount;
  mount.wanted = ways.own;
  (void)os::each_mount(mount);
  const std::string upper = in_upper(mount, ways.path);
  if (upper.empty()) return;
  const std::string trial = upper + file.path.substr(file.path.rfind('/'));
  if (!exists(trial)) return;  // another namespace's path, not ours
  try_both_paths(file, trial, upper);
  examine_lower_layer(ways.path, upper);
}

}  // namespace atmost::doctor
