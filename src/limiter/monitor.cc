#include "core/monitor.h"

#include <cerrno>
#include <string_view>

#include "companion.h"
#include "core/parse.h"
#include "core/words.h"
#include "environment.h"
#include "os/host.h"
#include "os/monitor.h"
#include "os/self.h"
#include "os/signals.h"
#include "os/spawn.h"
#include "run/run.h"
#include "takeover_words.h"

namespace atmost {
namespace {

// The order of the descriptors that the monitor below a front process watches.
constexpr unsigned kFront = 1;

class Monitor final : public run::SupervisionObserver {
 public:
  Monitor(os::MonitorLine& line, const Aftermath& aftermath, run::Task& task)
      : line_(line), aftermath_(aftermath), task_(task) {}

  // The end of this process: that of the monitored process, unless that gave up waiting for us.
  const ExitStatus& end() const { return end_; }
  // The last report of the monitored process.
  const os::MonitorReport& last_report() const { return report_; }

  void started(std::int64_t) override {
    line_.started();
    if (aftermath_.started != nullptr) aftermath_.started();
    if (front_.pid == 0) return;
    os::leave_session();
    close_others();
    line_.let_begin();
  }
  void main_ended(const ExitStatus& status, bool) override {
    const bool waited = report_.word == os::Word::none;  // for admission, until we ended it
    const bool given_up = caller_ended_ && waited && status.signal == os::kTerminate;
    if (given_up) aftermath_.caller_ended();
    end_ = given_up ? ExitStatus{static_cast<int>(Code::timed_out)} : status;
    front_.report(end_);
  }
  bool rest_is_lost(const ExitStatus& status) override {
    report_ = line_.last_report();
    const bool lost = report_.word == os::Word::running;
    if (lost) aftermath_.killed();
    // Nothing of a lease's command may go on when the lease is ended.
    if (lost && !report_.lease.empty()) task_.kill_grace = {};
    return lost || (caller_ended_ && status.signal == os::kKill);
  }
  run::Ready ready(unsigned which, ExitStatus&) override {
    // The front process ends when it knows how the supervisor has ended.
    if (which == kFront && front_.status < 0) return run::Ready::nothing;
    caller_ended_ = true;
    return run::Ready::stop;
  }
  void left(std::int64_t pid, bool refused) override {
    if (aftermath_.left != nullptr) aftermath_.left(limiter::left_words({}, pid, refused));
  }

 private:
  // The descriptors of the run are for the supervisor and its command: their readers may wait for
  // the end of the stream.
  void close_others() const {
    const int keep[] = {line_.reader(), line_.writer(), line_.life_over(),
                        front_.caller,  front_.status,  front_.ended};
    os::close_all_but(keep, 6, 3);
  }

  os::MonitorLine& line_;
  const Aftermath& aftermath_;
  run::Task& task_;
  limiter::FrontProcess& front_ = limiter::front;
  bool caller_ended_ = false;
  ExitStatus end_;
  os::MonitorReport report_;
};

// Observes this program itself, which runs as the child and holds the locks.
class Bystander final : public run::SupervisionObserver {};

Error cannot_start(Code code, int error, const char* program) {
  Error failed = error_of(code, error, program);
  failed.message.append(": ").append(errno_words(error));
  return failed;
}

// Ends the lease of a killed supervisor by starting its own program, which no signal for us ends.
// Blocks until that program has ended. If it fails, the lease ends by itself.
void end_lease(char* const* argv, const Text<80>& lease) {
  const std::size_t count = limiter::count_words(argv);
  char** const extended = run_arena().array<char*>(count + 2);
  if (extended == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) extended[i] = argv[i];
  extended[count] = const_cast<char*>(lease.c_str());
  extended[count + 1] = nullptr;
  (void)os::run_to_end({.argv = extended, .envp = os::environment(), .signals_held = true});
}

}  // namespace

constinit limiter::Monitored limiter::monitored;

limiter::FromAbove limiter::from_above() {
  const char* const text = os::variable("ATMOST_MONITOR");
  FromAbove above;
  std::string_view rest = text != nullptr ? text : "";
  for (bool first = true; !rest.empty(); first = false) {
    const std::size_t end = rest.find(':') < rest.size() ? rest.find(':') : rest.size();
    const Result<std::uint64_t> number = parse_count({rest.data(), end}, 0, INT32_MAX);
    if (!number.ok() || above.count == std::size(above.numbers)) return {};
    rest.remove_prefix(end < rest.size() ? end + 1 : end);
    if (first) above.parent = static_cast<std::int64_t>(number.value());
    if (!first) above.numbers[above.count++] = static_cast<int>(number.value());
  }
  return above;
}

// The environment is this process's, but for the variable.
run::RunReport limiter::supervise_companion(const char* path, char* const* argv,
                                            std::span<const int> passed, run::Task& task,
                                            run::SupervisionObserver& observer) {
  static constinit Variables variables;
  const std::size_t words = count_words(argv);
  char* const* const environment = os::environment();
  char** const again = run_arena().array<char*>(words + 1);
  char** const merged = run_arena().array<char*>(count_words(environment) + Variables::kMost + 1);
  if (again == nullptr || merged == nullptr) {
    run::RunReport none;
    none.fork_error = ENOMEM;
    return none;
  }
  again[0] = const_cast<char*>(path);
  for (std::size_t i = 1; i <= words; ++i) again[i] = argv[i];
  Variables::Texts& variable = variables.begin("ATMOST_MONITOR").append_signed(os::process_id());
  for (const int number : passed) variable.push(':').append_signed(number);
  if (front.pid != 0) variable.append(":1");
  variables.merge(environment, {}, merged);
  task.argv = again;
  task.envp = merged;
  task.inherit = passed.data();
  task.inherit_count = static_cast<unsigned>(passed.size());
  return run::supervise(task, observer);
}

Error monitor_program(char* const* argv, const Aftermath& aftermath) {
  if (!os::kAdoptsOrphans) return become_program(argv);
  os::MonitorLine line;
  if (const int error = line.open()) return cannot_start(Code::internal, error, argv[0]);
  const limiter::FrontProcess& front = limiter::front;
  const int passed[] = {line.reader(), line.writer(), line.life()};
  run::Task task;
  task.signal_at_our_death = os::kTerminate;
  task.is_monitor = true;
  task.kill_grace = aftermath.kill_grace;
  const int watched[] = {front.caller, front.ended};
  if (front.pid != 0) {
    task.monitor = front.pid;
    task.may_lose_monitor = true;
    task.own_tree = true;
    task.in_own_session = true;
    task.watched = watched;
    task.watched_count = 2;
  }
  Monitor monitor(line, aftermath, task);
  const run::RunReport report = limiter::supervise_companion(argv[0], argv, passed, task, monitor);
  if (report.fork_error != 0) return cannot_start(Code::internal, report.fork_error, argv[0]);
  if (report.exec_error != 0)
    return cannot_start(run::exec_code(report.exec_error), report.exec_error, argv[0]);
  // A supervisor that ended by itself has given its lease back, or reported why it could not. If a
  // supervisor was killed, its lease must not be ended while a process of the command runs: one
  // that we may not stop (another user's) keeps the lease until it ends.
  const bool over = report.status.signal != 0 &&
                    (monitor.last_report().word != os::Word::running || report.nothing_left);
  if (over && !monitor.last_report().lease.empty() && aftermath.end_lease != nullptr)
    end_lease(aftermath.end_lease, monitor.last_report().lease);
  os::end_as(monitor.end());
}

namespace {

// Returns only if no child could be started.
void start_again(char* const* argv) {
  PathText program;
  if (!os::program_path(program)) return;
  run::Task task;
  task.is_monitor = true;
  Bystander bystander;
  const run::RunReport report =
      limiter::supervise_companion(program.c_str(), argv, {}, task, bystander);
  if (report.fork_error == 0 && report.exec_error == 0) os::end_as(report.status);
}

}  // namespace

void reexec_in_child(char* const* argv) {
  limiter::Monitored& monitored = limiter::monitored;
  const limiter::FromAbove above = limiter::from_above();
  monitored.may_lose_monitor =
      above.parent > 0 && above.count == 0 && above.parent == os::parent_id();
  if (monitored.may_lose_monitor) monitored.monitor = above.parent;
  monitored.childless = !os::has_children();
  if (os::kAdoptsOrphans && !monitored.childless) start_again(argv);
}

void attach_to_monitor() {
  limiter::Monitored& monitored = limiter::monitored;
  const limiter::FromAbove above = limiter::from_above();
  const auto [reader, writer, life, has_front] = above.numbers;
  if (above.count < 3 || !monitored.line.accept(reader, writer, life)) return;
  monitored.reports = true;
  monitored.monitor = above.parent;
  monitored.has_front = has_front == 1;
  if (monitored.has_front && os::parent_id() == above.parent) monitored.line.wait_for_monitor();
  if (os::parent_id() == above.parent) return;
  os::die_of(os::kTerminate);
  os::exit_now(128 + os::kTerminate);
}

}  // namespace atmost
