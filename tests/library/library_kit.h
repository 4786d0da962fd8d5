// A directory of locks, and a stranger who looks who holds them.
#ifndef ATMOST_TESTS_LIBRARY_LIBRARY_KIT_H
#define ATMOST_TESTS_LIBRARY_LIBRARY_KIT_H

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "atmost/atom.h"

using namespace std::chrono_literals;

// The C functions, with a request for one call.
class ForOneCall {
 public:
  explicit ForOneCall(const std::string& name, const atmost::Limits& limits)
      : ForOneCall(atmost_new(name.c_str()), limits) {}
  ForOneCall(atmost_request* request, const atmost::Limits& limits) : request_(request) {
    limits.apply(request_);
  }
  ForOneCall(const ForOneCall&) = delete;
  ForOneCall& operator=(const ForOneCall&) = delete;
  ~ForOneCall() { atmost_free(request_); }
  operator atmost_request*() const { return request_; }

 private:
  atmost_request* request_;
};

inline int get_by(const std::string& name, const atmost::Limits& limits, atmost_lock** lock) {
  return atmost_get(ForOneCall(name, limits), lock);
}
inline int begin_by(const std::string& name, const atmost::Limits& limits,
                    atmost_pending** pending) {
  return atmost_begin(ForOneCall(name, limits), pending);
}
inline int check_by(const std::string& name, const atmost::Limits& limits, unsigned* held) {
  return atmost_check(ForOneCall(name, limits), held);
}
inline int list_by(const std::string& name, const atmost::Limits& limits,
                   int (*each)(void*, const atmost_entry*), void* context) {
  return atmost_list(ForOneCall(name, limits), each, context);
}

class Library : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/atmost-library.XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory_ = name;
    setenv("ATMOST_DIR", name, 1);  // where locks with a path are logged
    limits_.set("dir", directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string path(const char* file) const { return directory_ + "/" + file; }

  // True if any process holds slot 1 of the file, as another process finds.
  static bool held(const std::string& file) {
    const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    struct flock range = {};
    range.l_type = F_WRLCK;
    range.l_start = 8;
    range.l_len = 1;
    EXPECT_EQ(fcntl(fd, F_OFD_GETLK, &range), 0);
    close(fd);
    return range.l_type != F_UNLCK;
  }

  // Those of this process that lead to the file.
  static std::vector<int> descriptors_of(const std::string& file) {
    std::vector<int> found;
    struct stat wanted;
    if (stat(file.c_str(), &wanted) != 0) return found;
    for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
      const int fd = std::stoi(each.path().filename());
      struct stat status;
      if (fstat(fd, &status) == 0 && status.st_dev == wanted.st_dev &&
          status.st_ino == wanted.st_ino)
        found.push_back(fd);
    }
    return found;
  }

  template <class Condition>
  static bool eventually(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(2ms);
    }
    return true;
  }

  std::string directory_;
  atmost::Limits limits_;
};

#endif
