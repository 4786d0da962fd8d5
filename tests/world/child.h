// This program once more, as a child: a world that crashes or does not end takes nothing with it.
#ifndef ATMOST_TESTS_WORLD_CHILD_H
#define ATMOST_TESTS_WORLD_CHILD_H

#include <sys/types.h>

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace world {

using Clock = std::chrono::steady_clock;

class Child {
 public:
  // `input` is what it reads as /dev/stdin. Its errors go where ours go. Throws
  // std::runtime_error.
  Child(std::vector<std::string> arguments, std::string_view input, std::chrono::seconds limit);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();  // kills it, if it has not ended

  bool ended() const { return pid_ == 0; }
  // Its whole standard output.
  const std::string& output() const { return output_; }
  // Its exit code, or -1: a signal ended it. It has ended.
  int code() const { return code_; }
  // In a word, why there is no code: "crash", or "hang": it was killed at its limit. Else empty.
  std::string_view broken() const { return broken_; }

  void wait();  // until it has ended
  // Reads what they write until one of them has ended.
  static void wait(std::span<Child* const> children);

 private:
  void read();
  void end();

  pid_t pid_ = 0;
  int from_ = -1;
  Clock::time_point limit_;
  std::string output_;
  int code_ = -1;
  std::string_view broken_;
};

}  // namespace world

#endif
