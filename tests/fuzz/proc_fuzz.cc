// Any content of /proc is read or refused (processes choose their names, and any user may choose
// mount points).
#include <cstring>
#include <string_view>

#include "os/calls.h"
#include "os/locks.h"
#include "os/mounts.h"
#include "os/process.h"
#include "require.h"
#include "store/local/nfs_mount.h"

namespace {

using namespace atmost;

std::string_view planted;

ssize_t read_planted(int, void* to, std::size_t size, off_t at) {
  const auto from = static_cast<std::size_t>(at);
  if (from >= planted.size()) return 0;
  size = std::min(size, planted.size() - from);
  std::memcpy(to, planted.data() + from, size);
  return static_cast<ssize_t>(size);
}

class Mounts final : public os::MountVisitor {
 public:
  void mount(const os::Mount& mount) override {
    require(!mount.type.empty() && mount.id >= 0);
    require(os::option(mount.options, "upperdir").size() <= mount.options.size());
    (void)os::lies_in(mount.point, mount.root);
    const local::NfsMount nfs = local::parse_nfs_options(mount.options);
    require(nfs.fault != local::NfsFault::none || nfs.version.view().starts_with("4."));
    require(!local::reason_against(nfs.fault).empty());
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  os::ProcessFacts facts;
  (void)os::parse_process_stat(text, facts);
  os::Credentials ids;
  (void)os::parse_process_ids(text, ids);
  os::LockLine line;
  if (os::parse_lock_line(text, line))
    require(!line.covers(line.start - 1) && line.start <= line.end);
  planted = text;
  const auto real = os::calls.pread;
  os::calls.pread = read_planted;
  Mounts mounts;
  require(os::each_mount(mounts) == 0);
  os::calls.pread = real;
  return 0;
}
