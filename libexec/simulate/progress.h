// Shows the progress of long work on a terminal.
#ifndef ATMOST_LIBEXEC_SIMULATE_PROGRESS_H
#define ATMOST_LIBEXEC_SIMULATE_PROGRESS_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace atmost::simulate {

// A line on standard error that redraws itself. Nothing is drawn in the first half second, or if
// standard error is not a terminal, and the line is removed in the end.
class Progress {
 public:
  Progress(std::size_t whole, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `what`: the name of the work; `done`: the part of the whole that is finished.
  void show(const std::string& what, std::size_t done);

 private:
  std::size_t whole_;
  bool wanted_;
  bool drawn_ = false;
  std::int64_t next_ns_;
};

}  // namespace atmost::simulate

#endif
