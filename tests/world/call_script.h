// Random system calls of one process on files, descriptors, locks and inotify, made through a table
// of calls, with what each of them answers.
#ifndef ATMOST_TESTS_WORLD_CALL_SCRIPT_H
#define ATMOST_TESTS_WORLD_CALL_SCRIPT_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "os/calls.h"
#include "world/draw.h"

namespace world {

class CallScript {
 public:
  // The process has no descriptors but the streams, the folder no files and the umask is 0. The
  // table is borrowed.
  CallScript(const atmost::os::Calls& calls, std::string folder)
      : calls_(calls), folder_(std::move(folder)) {}

  // Makes the calls of a step. The answer; empty: the step does not fit, and no call was made.
  std::string make(std::uint64_t seed, std::uint64_t step);

 private:
  enum class Kind { file, inotify };
  struct Open {
    int fd = 0;
    Kind kind = Kind::file;
  };

  std::string open(Draws& draws);
  std::string bytes(Draws& draws, int fd);
  std::string descriptor(Draws& draws, const Open& open);
  std::string lock(Draws& draws, int fd);
  std::string name(Draws& draws);
  std::string map(Draws& draws, int fd);
  std::string begin_to_watch();
  std::string watch(Draws& draws, int fd);
  std::string events(Draws& draws, int fd);
  std::string path(Draws& draws) const;
  static std::string said(const std::string& call, std::int64_t result);

  const atmost::os::Calls& calls_;
  std::string folder_;
  std::map<int, Kind> open_;
  void* mapped_ = nullptr;
};

}  // namespace world

#endif
