#include "freezer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "witness_world.h"

namespace witness {
namespace {

constexpr const char* kVersion1 = "freezer.state";
constexpr const char* kVersion2 = "cgroup.freeze";

}  // namespace

Freezer::Freezer() {
  (void)(try_below("/sys/fs/cgroup/freezer", kVersion1) || try_below("/sys/fs/cgroup", kVersion2) ||
         try_below("/sys/fs/cgroup/unified", kVersion2));
}

Freezer::~Freezer() {
  if (!works()) return;
  thaw();
  eventually(Bound(2000),
             [&] { return rmdir(path_.c_str()) == 0; });  // the dead leave a little later
}

bool Freezer::try_below(const std::string& hierarchy, const char* state_file) {
  static int number = 0;
  const std::string path =
      hierarchy + "/atmost-test-" + std::to_string(getpid()) + "-" + std::to_string(++number);
  if (mkdir(path.c_str(), 0700) != 0) return false;
  if (access((path + "/" + state_file).c_str(), W_OK) != 0 ||
      access((path + "/cgroup.procs").c_str(), W_OK) != 0) {
    rmdir(path.c_str());
    return false;
  }
  path_ = path;
  state_file_ = state_file;
  return true;
}

bool Freezer::put(const char* file, const std::string& text) const {
  const int fd = open((path_ + "/" + file).c_str(), O_WRONLY | O_CLOEXEC);
  const bool written =
      fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0) close(fd);
  return written;
}

bool Freezer::take(pid_t pid) const { return put("cgroup.procs", std::to_string(pid)); }

bool Freezer::freeze() const {
  return put(state_file_.c_str(), state_file_ == kVersion1 ? "FROZEN" : "1");
}

bool Freezer::frozen() const {
  if (state_file_ == kVersion1) return read_file(path_ + "/freezer.state") == "FROZEN\n";
  return read_file(path_ + "/cgroup.events").find("frozen 1") != std::string::npos;
}

bool Freezer::thaw() const {
  return put(state_file_.c_str(), state_file_ == kVersion1 ? "THAWED" : "0");
}

}  // namespace witness
