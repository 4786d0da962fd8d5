// Supervises real commands in this very process, with system calls that a test may break.
#ifndef ATMOST_TESTS_RUN_FAULT_KIT_H
#define ATMOST_TESTS_RUN_FAULT_KIT_H

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <string>
#include <vector>

#include "os/calls.h"
#include "os/signals.h"
#include "run/run.h"
#include "witness_world.h"

extern char** environ;

namespace atmost::run {

class Quiet final : public SupervisionObserver {
 public:
  void main_ended(const ExitStatus& status, bool) override { ended = status; }
  void started(std::int64_t) override {}
  bool taken(std::int64_t) override { return false; }
  void stopping(int signal, Stopped) override { signals.push_back(signal); }
  std::int64_t check(std::int64_t) override { return Duration::kForever; }

  ExitStatus ended;
  std::vector<int> signals;
};

class RunFault : public ::testing::Test {
 protected:
  ~RunFault() override { os::calls = os::kRealCalls; }
  RunReport run(const witness::Argv& command, Duration max_runtime = {},
                Duration grace = Duration::millis(50)) {
    std::vector<char*> argv;
    for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    Task task;
    task.argv = argv.data();
    task.envp = environ;
    task.max_runtime = max_runtime;
    task.kill_grace = grace;
    task.in_own_session = true;  // a stopped command does not stop the test
    const RunReport report = supervise(task, quiet_);
    os::release_signals();
    return report;
  }
  std::string child() const { return witness::helper("run_child"); }
  bool no_child_left() const { return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; }

  Quiet quiet_;
  const witness::Argv stubborn_ = {child(), "ignore=2", "ignore=15", "fork=2", "pause"};
};

}  // namespace atmost::run

#endif
