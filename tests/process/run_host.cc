// The run room as a program, for tests: supervises or becomes a command, and ends as it did.
//   run_host [--tree] [--exec] [--max=MS] [--grace=MS] [--lost=MS] [--stop-at-start] [--inherit=FD]
//   [--log=FILE] COMMAND [ARG]...
// Built a second time as run_monitored, which has a monitor above it (core/monitor.h): monitor_host
// run_monitored … The log gets a line for each call of the observer, and after the end our own
// signal state.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/signals.h"
#include "os/spawn.h"
#include "run/run.h"
#ifdef ATMOST_RUN_MONITORED
#include "core/monitor.h"
#include "limiter/companion.h"
#endif

extern char** environ;

namespace {

using atmost::Duration;
using atmost::run::Task;

constexpr int kLogFd = 300;

void note(const char* format, int a, int b, int c) {
  char line[80];
  const int size = snprintf(line, sizeof line, format, a, b, c);
  if (write(kLogFd, line, static_cast<size_t>(size)) < 0) return;  // no log was asked for
}

// Of what a monitor has to know; nothing in run_host.
enum class Now { begins, runs, ended };
void tell_monitor([[maybe_unused]] Task& task, [[maybe_unused]] Now now) {
#ifdef ATMOST_RUN_MONITORED
  if (now == Now::begins) atmost::attach_to_monitor();
  atmost::limiter::Monitored& monitored = atmost::limiter::monitored;
  task.monitor = monitored.monitor;
  if (now == Now::runs && monitored.reports) monitored.line.say(atmost::os::Word::running);
  if (now == Now::ended && monitored.reports) monitored.line.say(atmost::os::Word::ended);
#endif
}

class Log final : public atmost::run::SupervisionObserver {
 public:
  Log(std::int64_t lost_ns, bool stops) : lost_ns_(lost_ns), stops_(stops) {}
  void main_ended(const atmost::ExitStatus& status, bool hold_over) override {
    note("main_ended %d %d %d\n", status.code, status.signal, status.core_dumped);
    if (hold_over) note("hold_over\n", 0, 0, 0);
  }
  void started(std::int64_t) override {
    if (stops_) raise(SIGSTOP);
  }
  bool taken(std::int64_t) override { return false; }
  void stopping(int signal, atmost::Stopped) override { note("stopping %d\n", signal, 0, 0); }
  std::int64_t check(std::int64_t boot_ns) override {
    if (lost_ns_ == 0) return Duration::kForever;
    if (lost_at_ == 0) lost_at_ = boot_ns + lost_ns_;
    return lost_at_;
  }

 private:
  std::int64_t lost_ns_;
  std::int64_t lost_at_ = 0;
  bool stops_;
};

long value(const char* argument) { return strtol(strchr(argument, '=') + 1, nullptr, 10); }
bool is(const char* argument, const char* option) {
  return strncmp(argument, option, strlen(option)) == 0;
}

void copy_signal_state_to_log() {
  static char text[8192];
  const int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  const ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  const char* from = size > 0 ? strstr(text, "SigBlk:") : nullptr;
  if (from == nullptr) return;
  const char* const end = strstr(from, "CapInh:");
  if (end == nullptr || write(kLogFd, from, static_cast<size_t>(end - from)) < 0) return;
}

}  // namespace

int main(int, char** argv) {
  Task task;
  tell_monitor(task, Now::begins);
  task.envp = environ;
  bool exec = false;
  long lost_ms = 0;
  bool stops = false;
  int inherited = -1;
  char** at = argv + 1;
  for (; *at != nullptr && is(*at, "--"); ++at) {
    if (is(*at, "--tree")) task.own_tree = true;
    if (is(*at, "--exec")) exec = true;
    if (is(*at, "--max=")) task.max_runtime = Duration::millis(value(*at));
    if (is(*at, "--idle=")) task.max_idle = Duration::millis(value(*at));
    if (is(*at, "--grace=")) task.kill_grace = Duration::millis(value(*at));
    if (is(*at, "--lost=")) lost_ms = value(*at);
    if (is(*at, "--stop-at-start")) stops = true;
    if (is(*at, "--inherit=")) {
      inherited = static_cast<int>(value(*at));
      const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
      dup3(null, inherited, O_CLOEXEC);
      if (null != inherited) close(null);
    }
    if (is(*at, "--log=")) {
      const int log = open(strchr(*at, '=') + 1, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
      dup3(log, kLogFd, O_CLOEXEC);
      close(log);
    }
  }
  task.argv = at;
  task.inherit = &inherited;
  task.inherit_count = inherited >= 0 ? 1 : 0;
  if (exec)
    return static_cast<int>(
        atmost::run::exec_code(atmost::os::become({.argv = task.argv,
                                                   .envp = task.envp,
                                                   .inherit = task.inherit,
                                                   .inherit_count = task.inherit_count})));
  Log log(lost_ms * 1'000'000, stops);
  tell_monitor(task, Now::runs);
  const atmost::run::RunReport report = atmost::run::supervise(task, log);
  tell_monitor(task, Now::ended);
  atmost::os::release_signals();
  copy_signal_state_to_log();
  if (report.fork_error != 0) return 71;
  if (report.exec_error != 0) return static_cast<int>(atmost::run::exec_code(report.exec_error));
  if (report.stopped == atmost::Stopped::max_runtime) return 124;
  if (report.stopped == atmost::Stopped::idle) return 125;
  if (report.stopped == atmost::Stopped::lost) return 79;
  atmost::os::end_as(report.status);
}
