#include "process_identity.h"

#include <cerrno>

namespace atmost::symlink {

ProcessIdentity identity_of(std::int64_t pid, std::uint64_t boot) {
  os::ProcessFacts facts;
  if (os::process_facts(pid, facts) != 0) return {pid, 0, boot};
  return {pid, facts.start_boot_ns, boot};
}

bool lives(const ProcessIdentity& identity, std::uint64_t boot, os::ProcessHandle* handle) {
  if (identity.boot != 0 && boot != 0 && identity.boot != boot) return false;
  os::ProcessHandle own;
  os::ProcessHandle& process = handle != nullptr ? *handle : own;
  const int error = process.open(identity.pid);
  // EINVAL, ENOENT: the number is now that of a thread of some other process.
  if (error == ESRCH || error == EINVAL || error == ENOENT) return false;
  if (error == 0 ? !process.alive() : !os::process_exists(identity.pid)) return false;
  if (identity.start_ns == 0) return true;
  os::ProcessFacts facts;
  const int unseen = os::process_facts(identity.pid, facts);
  if (unseen == ESRCH) return false;
  return unseen != 0 || facts.start_boot_ns == 0 || facts.start_boot_ns == identity.start_ns;
}

}  // namespace atmost::symlink
