// Small worlds for tests of the kernel itself: each process runs one function, which speaks to the
// kernel through the product's table of calls.
#ifndef ATMOST_TESTS_WORLD_KERNEL_KIT_H
#define ATMOST_TESTS_WORLD_KERNEL_KIT_H

#include <fcntl.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "os/calls.h"
#include "world/kernel.h"

namespace world {

inline atmost::os::Calls& calls() { return atmost::os::calls; }

class Runs final : public Program {
 public:
  explicit Runs(std::function<void(Process&)> what) : what_(std::move(what)) {}
  void run(Process& self) override { what_(self); }
  bool runs_again(const Process&) override { return false; }

 private:
  std::function<void(Process&)> what_;
};

// Runs the processes p0, p1, … in turn: each until it sleeps or ends, unless an event says more.
inline void run_processes(std::vector<std::function<void(Process&)>> what,
                          std::vector<Event> events = {}) {
  install_table();
  Script script;
  script.listed = true;
  script.events = std::move(events);
  Observer observer;
  const auto fibers = make_fibers();
  std::vector<std::unique_ptr<Runs>> programs;
  Kernel world(script, *fibers, observer, true);
  world.make_file("/w", 0755, true);
  for (auto& each : what) {
    programs.push_back(std::make_unique<Runs>(std::move(each)));
    world.add_process(*programs.back());
  }
  EXPECT_EQ(world.run(), "");
  EXPECT_EQ(world.stopped(), "") << world.traced();
}

// Milliseconds that the process sleeps, in a call.
inline void sleep_ms(int span) { calls().poll(nullptr, 0, span); }

inline int open_file(const char* path, int more = 0) {
  return calls().openat(AT_FDCWD, path, O_RDWR | O_CREAT | more, 0644);
}

inline int set_lock(int fd, int command, short type, std::int64_t first, std::int64_t length = 1) {
  struct flock range = {};
  range.l_type = type;
  range.l_start = first;
  range.l_len = length;
  return calls().lock(fd, command, &range);
}

}  // namespace world

#endif
