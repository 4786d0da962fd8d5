// The doctor's findings about lock files that users other than their owner may read.
#include "examination.h"
#include "message.h"
#include "os/above.h"
#include "os/file.h"

namespace atmost::doctor {
namespace {

// In a directory that a group shares, its members use the locks on purpose.
bool others_may_read(const std::string& path) {
  struct stat status;
  if (os::path_status(path.c_str(), status, false) != 0 || !S_ISREG(status.st_mode)) return false;
  std::uint32_t group = 0;
  const bool shared = os::is_shared_by_group(path.c_str(), group) && status.st_gid == group;
  return (status.st_mode & (shared ? S_IROTH : S_IRGRP | S_IROTH)) != 0;
}

}  // namespace

void examine_readers(const std::string& directory) {
  std::vector<std::string> found;
  for (const std::string& name : names_in(directory)) {
    const std::string path = directory + "/" + name;
    if (others_may_read(path) && is_lock_file(path, false)) found.push_back(name);
  }
  if (found.empty()) {
    report_good("readers", "no lock file here may be read by others than its owner");
    return;
  }
  std::string what = found[0];
  if (found.size() > 1) what += " and " + std::to_string(found.size() - 1) + " more";
  send({Level::doubtful, "readers", what + " may be read by others than the owner",
        "a user who may read a lock file may lock it and keep everybody out",
        "chmod go-rw it, unless those may use the lock"});
}

}  // namespace atmost::doctor
