// A directory of locks, and a stranger who looks who holds them.
#ifndef ATMOST_TESTS_LIBRARY_LIBRARY_KIT_H
#define ATMOST_TESTS_LIBRARY_LIBRARY_KIT_H

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "atmost/atom.h"

using namespace std::chrono_literals;

class Library : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/atmost-library.XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory_ = name;
    setenv("ATMOST_DIR", name, 1);  // where locks with a path are logged
    limits_.directory = directory_.c_str();
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string path(const char* file) const { return directory_ + "/" + file; }

  // Whether somebody holds slot 1 of the file, asked by a process that has nothing to do with it.
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
