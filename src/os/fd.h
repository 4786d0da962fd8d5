// A file descriptor with one owner.
#ifndef ATMOST_OS_FD_H
#define ATMOST_OS_FD_H

#include <utility>

namespace atmost::os {

// Move-only; closes on destruction. Close errors are not reported: close loses no data that was not
// lost before. Inherited by a forked child as any descriptor is, closed at exec when it was opened
// close-on-exec (all of ours are).
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

}  // namespace atmost::os

#endif
