#include "save.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "os/above.h"
#include "os/file.h"
#include "reader/output.h"

namespace atmost::report {
namespace {

namespace fs = std::filesystem;
using history::Failure;

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  throw Failure(error == EACCES || error == EPERM ? Code::not_permitted : Code::io,
                path + ": cannot " + what + ": " + std::strerror(error));
}

void write_in_place(const std::string& path, std::string_view text) {
  const os::Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd.open()) fail(path, "open", errno);
  if (const int error = os::write_all(fd.get(), text.data(), text.size()))
    fail(path, "write", error);
}

// A new file beside `path`, removed again unless it was given away.
class Draft {
 public:
  explicit Draft(const std::string& path) {
    const fs::path target(path);
    name_ = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
    fd_ = os::Fd(::mkostemp(name_.data(), O_CLOEXEC));
    if (!fd_.open()) fail(path, "write beside it", errno);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  int get() const { return fd_.get(); }
  int rename_to(const std::string& path) {
    if (::rename(name_.c_str(), path.c_str()) != 0) return errno;
    name_.clear();
    return 0;
  }

 private:
  std::string name_;
  os::Fd fd_;
};

// Another user must not choose which file root replaces.
void refuse_hazards(const std::string& path) {
  if (os::own_standard() != os::Standard::root) return;
  Hazard hazard = Hazard::none;
  ScopedArena texts;
  TextView which;
  if (os::find_hazard(path.c_str(), os::Standard::root, hazard, texts, which) != 0) return;
  if (hazard == Hazard::none) {
    // The file itself may belong to any user, but a link may not.
    const std::string below = path + "/.";
    if (os::find_hazard(below.c_str(), os::Standard::root, hazard, texts, which) != 0) return;
    if (hazard != Hazard::link) return;
  }
  Text<4400> words;
  append_hazard(words, hazard, which);
  throw Failure(Code::not_permitted, path + ": " + std::string(words.view()));
}

}  // namespace

void save(const std::string& path, std::string_view text) {
  refuse_hazards(path);
  struct stat there = {};
  const bool exists = ::stat(path.c_str(), &there) == 0;
  if (exists && S_ISDIR(there.st_mode)) fail(path, "write", EISDIR);
  if (exists && !S_ISREG(there.st_mode)) return write_in_place(path, text);
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path, error);
  const std::string target = error ? path : resolved.string();
  const mode_t mask = ::umask(0);
  ::umask(mask);
  Draft draft(target);
  if (::fchmod(draft.get(), exists ? there.st_mode & 07777 : 0666 & ~mask) != 0)
    fail(path, "set the mode of", errno);
  if (const int failed = os::write_all(draft.get(), text.data(), text.size()))
    fail(path, "write", failed);
  if (::fsync(draft.get()) != 0) fail(path, "write", errno);
  if (const int failed = draft.rename_to(target)) fail(path, "replace", failed);
}

int deliver(const std::string& path, const std::string& text) {
  if (path.empty()) return history::print(text);
  save(path, text);
  return 0;
}

}  // namespace atmost::report
