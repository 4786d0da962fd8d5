// What the doctor sees of lock files that others than their owner may read.
#include "examination.h"
#include "findings.h"
#include "lock_file.h"
#include "os/directory.h"
#include "os/file.h"

namespace atmost::local {
namespace {

struct Readers {
  const PathText& directory;
  Text<300> first;
  std::uint32_t count = 0;

  void look_at(std::string_view name) {
    PathText path = directory;
    path.push('/').append(name);
    struct stat status;
    if (path.truncated() || os::path_status(path.c_str(), status, false) != 0 ||
        !S_ISREG(status.st_mode) || (status.st_mode & (S_IRGRP | S_IROTH)) == 0 || !is_lock(path))
      return;
    if (count++ == 0) first.append(name);
  }

  static bool is_lock(const PathText& path) {
    LockSpec spec;
    spec.path = path;
    Request request;
    request.trust_fs = true;  // told of elsewhere
    LockFile file;
    return file.open(spec, request, LockFile::Access::look).ok() && file.present() &&
           file.refresh().ok() && file.state() == HeaderState::good;
  }
};

}  // namespace

void examine_readers(const PathText& directory) {
  Readers readers{directory, {}};
  (void)os::visit_names(
      directory.c_str(),
      [](void* context, std::string_view name) { static_cast<Readers*>(context)->look_at(name); },
      &readers);
  if (readers.count == 0) {
    ok("readers", "no lock file here may be read by others than its owner");
    return;
  }
  Text<400> what(readers.first);
  if (readers.count > 1) what.append(" and ").append_unsigned(readers.count - 1).append(" more");
  what.append(" may be read by others than the owner");
  send({Level::warn, "readers", what, "who may read a lock file may lock it and keep everybody out",
        "chmod go-rw it, unless those may use the lock"});
}

}  // namespace atmost::local
