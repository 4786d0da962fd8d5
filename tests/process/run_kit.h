// Shared by the tests of the run room: a supervisor (run_host), its command, and the kernel's view
// of both.
#ifndef ATMOST_TESTS_PROCESS_RUN_KIT_H
#define ATMOST_TESTS_PROCESS_RUN_KIT_H

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <vector>

#include "witness_world.h"

namespace witness {

class Run : public ::testing::Test {
 protected:
  static bool monitored() { return getenv("ATMOST_TESTS_MONITORED") != nullptr; }
  // A program that crashes leaves its core file in our folder.
  Run() { EXPECT_EQ(chdir(dir_.path().c_str()), 0); }

  // run_host with `options`, then the command. The same in all that can be seen with a monitor
  // above it.
  Argv host(const Argv& options, const Argv& command) const {
    Argv argv = {helper("run_host")};
    if (monitored()) argv = {helper("monitor_host"), helper("run_monitored")};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), command.begin(), command.end());
    return argv;
  }
  // run_child with `words`; the form to be used as a command or in front of one.
  Argv child(const Argv& words) const {
    Argv argv = {helper("run_child")};
    argv.insert(argv.end(), words.begin(), words.end());
    return argv;
  }
  // `before` goes on as `command`.
  Argv then(Argv before, const Argv& command) const {
    before.push_back("exec");
    before.insert(before.end(), command.begin(), command.end());
    return before;
  }
  Argv shell(const std::string& script) const { return {"/bin/sh", "-c", script}; }

  std::string file(const std::string& name) const { return dir_.file(name); }
  std::string log_option() const { return "--log=" + file("log"); }
  std::string log() const { return read_file(file("log")); }
  bool logged(const std::string& line) const {
    return log().find(line + "\n") != std::string::npos;
  }

  // The whole lines of a file that children append to.
  std::vector<std::string> lines(const std::string& name) const {
    std::istringstream text(read_file(file(name)));
    std::vector<std::string> all;
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }
  // The pids that marked themselves; fails the test when there are not `count` in time.
  std::vector<pid_t> marked(const std::string& name, std::size_t count) {
    EXPECT_TRUE(eventually(Bound(20'000), [&] { return lines(name).size() >= count; })) << name;
    std::vector<pid_t> pids;
    for (const std::string& line : lines(name)) pids.push_back(std::stoi(line));
    pids.resize(count, 0);
    return pids;
  }
  bool becomes(pid_t pid, char state) {
    return eventually(Bound(20'000), [&] { return state_of(pid) == state; });
  }
  std::string status_of(pid_t pid) {
    const std::optional<int> status = world_.wait(pid);
    return status ? words(*status) : "still there";
  }

  World world_;
  TempDir dir_;
};

}  // namespace witness

#endif
