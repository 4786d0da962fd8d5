// The mount that a directory lies in, and the others that reach the same files
// (/proc/self/mountinfo, proc(5)).
#ifndef ATMOST_OS_MOUNTS_H
#define ATMOST_OS_MOUNTS_H

#include <cstdint>
#include <string_view>

namespace atmost::os {

// One mount. The views are unescaped and valid during the call only.
struct Mount {
  std::int64_t id = 0;
  std::string_view root;   // of the filesystem: what stands at `point`
  std::string_view point;  // where
  std::string_view type;   // "ext4", "nfs4", "fuse.sshfs" …
  std::string_view source;
  std::string_view options;  // the filesystem's own, separated by commas
};

class MountVisitor {
 public:
  virtual void mount(const Mount& mount) = 0;

 protected:
  ~MountVisitor() = default;
};

// Shows every mount of this mount namespace, in the order of mounting. 0 or an errno value. Never
// contacts a filesystem. Takes 32 KiB of the stack.
int each_mount(MountVisitor& visitor);

// The id of the mount that a descriptor was opened through; 0 where it is not known.
std::int64_t mount_of(int fd);

// The value of `name` ("upperdir") among options; empty when it is not there.
std::string_view option(std::string_view options, std::string_view name);

// True if `path` is `directory` or below it. Both absolute, without dots and trailing slashes.
bool lies_in(std::string_view path, std::string_view directory);

}  // namespace atmost::os

#endif
