#include "being.h"

#include <cerrno>

namespace atmost::symlink {

Being being_of(std::int64_t pid, std::uint64_t boot) {
  os::ProcessFacts facts;
  if (os::process_facts(pid, facts) != 0) return {pid, 0, boot};
  return {pid, facts.start_boot_ns, boot};
}

bool lives(const Being& being, std::uint64_t boot, os::ProcessHandle* handle) {
  if (being.boot != 0 && boot != 0 && being.boot != boot) return false;
  os::ProcessHandle own;
  os::ProcessHandle& process = handle != nullptr ? *handle : own;
  const int error = process.open(being.pid);
  // EINVAL, ENOENT: the number is now that of a thread of some other process.
  if (error == ESRCH || error == EINVAL || error == ENOENT) return false;
  if (error == 0 ? !process.alive() : !os::process_exists(being.pid)) return false;
  if (being.start_ns == 0) return true;
  os::ProcessFacts facts;
  const int unseen = os::process_facts(being.pid, facts);
  if (unseen == ESRCH) return false;
  return unseen != 0 || facts.start_boot_ns == 0 || facts.start_boot_ns == being.start_ns;
}

}  // namespace atmost::symlink
