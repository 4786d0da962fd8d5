// A free lock that was held before, whose file stayed open; and another program's view of it.
#ifndef ATMOST_TESTS_LIBRARY_TOGETHER_KIT_H
#define ATMOST_TESTS_LIBRARY_TOGETHER_KIT_H

#include <functional>

#include "library_kit.h"

// Another program's view of the file: a description of its own.
class Stranger {
 public:
  explicit Stranger(const std::string& file) : fd_(open(file.c_str(), O_RDWR | O_CLOEXEC)) {}
  ~Stranger() { close(fd_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  bool lock(std::int64_t start, std::int64_t length, int command = F_OFD_SETLK) const {
    return set(F_WRLCK, start, length, command);
  }
  void unlock(std::int64_t start, std::int64_t length, int command = F_OFD_SETLK) const {
    set(F_UNLCK, start, length, command);
  }
  // True if others have locked any of the bytes; length 0 means up to the end.
  bool sees(std::int64_t start, std::int64_t length) const {
    struct flock range = make(F_WRLCK, start, length);
    EXPECT_EQ(fcntl(fd_, F_OFD_GETLK, &range), 0);
    return range.l_type != F_UNLCK;
  }
  int fd() const { return fd_; }

 private:
  static struct flock make(int type, std::int64_t start, std::int64_t length) {
    struct flock range = {};
    range.l_type = static_cast<short>(type);
    range.l_start = start;
    range.l_len = length;
    return range;
  }
  bool set(int type, std::int64_t start, std::int64_t length, int command) const {
    struct flock range = make(type, start, length);
    return fcntl(fd_, command, &range) == 0;
  }
  const int fd_;
};

class Together : public Library {
 protected:
  void SetUp() override {
    Library::SetUp();
    limits_.set("no_history");
    cycle();
  }
  void cycle() { EXPECT_EQ(take(limits_), ATMOST_ADMITTED) << atmost_message(); }
  // Takes it, and holds it while `inside` runs.
  int take(const atmost::Limits& limits, const std::function<void()>& inside = {}) {
    atmost_lock* lock = nullptr;
    const int answer = get_by(path("a").c_str(), limits, &lock);
    if (lock == nullptr) return answer;
    EXPECT_TRUE(held(path("a")));
    if (inside) inside();
    atmost_release(lock, 1);
    return answer;
  }
};

#endif
