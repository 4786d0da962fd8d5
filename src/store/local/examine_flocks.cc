// What the doctor sees of flock(1)'s users, who and atmost do not exclude one another unless it
// says --with-flock.
#include "examination.h"
#include "findings.h"
#include "lock_file.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/flock.h"

namespace atmost::local {
namespace {

class Flocks final : public os::FlockVisitor {
 public:
  explicit Flocks(const PathText& directory) : directory_(directory) {}

  bool flock(const os::LockLine& line) override {
    if (count_ < kMost) lines_[count_++] = line;
    return count_ < kMost;
  }

  void look_at(std::string_view name) {
    PathText path = directory_;
    path.push('/').append(name);
    struct stat status;
    if (path.truncated() || os::path_status(path.c_str(), status, false) != 0 ||
        !S_ISREG(status.st_mode))
      return;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const bool same = os::is_about(lines_[i], static_cast<std::uint64_t>(status.st_dev),
                                     static_cast<std::uint64_t>(status.st_ino));
      if (same && could_be_a_lock(path)) {
        tell(name, lines_[i]);
        return;
      }
    }
  }

  bool any() const { return count_ > 0; }
  bool told() const { return told_; }

 private:
  static constexpr std::uint32_t kMost = 256;

  static bool could_be_a_lock(const PathText& path) {
    LockSpec spec;
    spec.path = path;
    Request request;
    request.trust_fs = true;  // told of elsewhere
    LockFile file;
    return file.open(spec, request, LockFile::Access::look).ok() && file.present() &&
           file.refresh().ok();
  }

  void tell(std::string_view name, const os::LockLine& line) {
    told_ = true;
    Text<300> what(name);
    what.append(" is locked by flock(2)");
    if (line.pid > 0) what.append(", by process ").append_signed(line.pid);
    send({Level::warn, "flock", what, "flock(1) and atmost do not exclude one another there",
          "use atmost run --with-flock until nobody uses flock(1) on it"});
  }

  const PathText& directory_;
  os::LockLine lines_[kMost];
  std::uint32_t count_ = 0;
  bool told_ = false;
};

}  // namespace

void examine_flocks(const PathText& directory) {
  Flocks flocks(directory);
  if (os::each_flock(flocks) != 0) return;  // no /proc: told of elsewhere
  if (flocks.any()) {
    (void)os::visit_names(
        directory.c_str(),
        [](void* context, std::string_view name) { static_cast<Flocks*>(context)->look_at(name); },
        &flocks);
  }
  if (!flocks.told())
    ok("flock", "nobody holds a flock(2) on a file here that is a lock or could be one");
}

}  // namespace atmost::local
