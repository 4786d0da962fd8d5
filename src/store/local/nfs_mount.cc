#include "nfs_mount.h"

#include <cerrno>

#include "os/file.h"
#include "os/mounts.h"

namespace atmost::local {
namespace {

bool contains(std::string_view options, std::string_view name) {
  while (!options.empty()) {
    std::size_t size = options.find(',');
    if (size == std::string_view::npos) size = options.size();
    if (std::string_view(options.data(), size) == name) return true;
    options.remove_prefix(size < options.size() ? size + 1 : size);
  }
  return false;
}

NfsFault fault_of(std::string_view version, std::string_view options) {
  if (version == "2" || version == "3") return NfsFault::old_version;
  if (version == "4" || version == "4.0") return NfsFault::fast_version;
  if (version != "4.1" && version != "4.2") return NfsFault::unknown;
  const std::string_view local = os::option(options, "local_lock");
  if (contains(options, "nolock") || (!local.empty() && local != "none"))
    return NfsFault::local_locks;
  if (contains(options, "soft") || contains(options, "softerr")) return NfsFault::soft;
  return contains(options, "hard") ? NfsFault::none : NfsFault::unknown;
}

class Search final : public os::MountVisitor {
 public:
  explicit Search(std::int64_t wanted) : wanted_(wanted) {}
  NfsMount found;

  void mount(const os::Mount& mount) override {
    if (mount.id == wanted_ && mount.type.starts_with("nfs"))
      found = parse_nfs_options(mount.options);
  }

 private:
  std::int64_t wanted_;
};

class Longest final : public os::MountVisitor {
 public:
  explicit Longest(std::string_view directory) : directory_(directory) {}
  bool good = false;

  void mount(const os::Mount& mount) override {
    if (mount.point.size() < size_ || !os::lies_in(directory_, mount.point)) return;
    size_ = mount.point.size();
    good =
        mount.type.starts_with("nfs") && parse_nfs_options(mount.options).fault == NfsFault::none;
  }

 private:
  std::string_view directory_;
  std::size_t size_ = 0;
};

}  // namespace

bool is_named_on_good_nfs(std::string_view directory) {
  Longest longest(directory);
  return os::each_mount(longest) == 0 && longest.good;
}

NfsMount parse_nfs_options(std::string_view options) {
  NfsMount mount;
  const std::string_view version = os::option(options, "vers");
  if (version.size() <= mount.version.capacity()) mount.version.assign(version);
  mount.fault = fault_of(version, options);
  return mount;
}

NfsMount nfs_mount_of(int fd) {
  Search search(os::mount_of(fd));
  if (os::each_mount(search) != 0) return {};
  return search.found;
}

bool is_on_good_nfs(std::string_view directory) {
  PathText path(directory);
  os::Fd fd;
  for (int error; (error = os::open_directory(path.c_str(), fd)) == ENOENT || error == ENOTDIR;) {
    const std::size_t slash = path.view().rfind('/');
    if (slash == std::string_view::npos) return false;
    path = PathText(std::string_view{path.c_str(), slash > 0 ? slash : 1});
  }
  const char* name = "";
  if (!fd.open() || os::filesystem_trust(fd.get(), &name) == os::Trust::trusted) return false;
  return name == std::string_view("nfs") && nfs_mount_of(fd.get()).fault == NfsFault::none;
}

std::string_view reason_against(NfsFault fault) {
  switch (fault) {
    case NfsFault::none:
      return "the server frees the locks of a machine that it does not hear from, whose command "
             "runs on";
    case NfsFault::old_version:
      return "this version keeps the locks of a machine without power for ever, and may grant one "
             "twice when the server restarts";
    case NfsFault::fast_version:
      return "in this version a machine may lose its locks seconds after it lost the server";
    case NfsFault::local_locks:
      return "locks are kept on each machine (nolock, local_lock), and none excludes another "
             "machine";
    case NfsFault::soft:
      return "the mount is soft: calls fail while the server still keeps the lock";
    case NfsFault::unknown:
      break;
  }
  return "a server keeps the locks, and how is not known";
}

bool is_cured_by_options(NfsFault fault) {
  return fault != NfsFault::none && fault != NfsFault::unknown;
}

}  // namespace atmost::local
