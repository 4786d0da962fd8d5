// A directory of a test's own. A header alone, so that tests of all kinds have it without linking
// anything.
#ifndef ATMOST_TESTS_PROCESS_TEMP_DIR_H
#define ATMOST_TESTS_PROCESS_TEMP_DIR_H

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

namespace witness {

// Made in $TMPDIR, or /tmp, for its owner alone; throws when that cannot be. Removed with
// everything in it.
class TempDir {
 public:
  TempDir() {
    const char* base = getenv("TMPDIR");
    path_ = std::string(base != nullptr ? base : "/tmp") + "/atmost-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), path_);
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace witness

#endif
