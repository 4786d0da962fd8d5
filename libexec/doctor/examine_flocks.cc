// The doctor's findings about users of flock(1). They and atmost do not exclude one another without
// --with-flock.
#include "examination.h"
#include "message.h"
#include "os/file.h"
#include "os/flock.h"

namespace atmost::doctor {
namespace {

struct Flocks final : os::FlockVisitor {
  bool flock(const os::LockLine& line) override {
    lines.push_back(line);
    return true;
  }
  std::vector<os::LockLine> lines;
};

// The flock on the file, if it has one.
const os::LockLine* flock_on(const std::string& path, const std::vector<os::LockLine>& lines) {
  struct stat status;
  if (os::path_status(path.c_str(), status, false) != 0 || !S_ISREG(status.st_mode)) return nullptr;
  for (const os::LockLine& line : lines) {
    if (os::is_about(line, static_cast<std::uint64_t>(status.st_dev),
                     static_cast<std::uint64_t>(status.st_ino)))
      return &line;
  }
  return nullptr;
}

}  // namespace

void examine_flocks(const std::string& directory) {
  Flocks flocks;
  if (os::each_flock(flocks) != 0) return;  // without /proc: examine_machine reports that
  bool any = false;
  if (!flocks.lines.empty()) {
    for (const std::string& name : names_in(directory)) {
      const std::string path = directory + "/" + name;
      const os::LockLine* const line = flock_on(path, flocks.lines);
      if (line == nullptr || !is_lock_file(path, true)) continue;
      any = true;
      std::string what = name + " is locked by flock(2)";
      if (line->pid > 0) what += ", by process " + std::to_string(line->pid);
      send({Level::doubtful, "flock", what, "flock(1) and atmost do not exclude one another there",
            "use atmost run --with-flock until nobody uses flock(1) on it"});
    }
  }
  if (!any) report_good("flock", "no file here that is or could be a lock has a flock(2)");
}

}  // namespace atmost::doctor
