#include "companion.h"

#include <cerrno>

#include "core/monitor.h"
#include "core/words.h"
#include "notices.h"
#include "os/file.h"
#include "os/monitor.h"
#include "os/self.h"
#include "os/spawn.h"
#include "run/run.h"

namespace atmost {
namespace {

// Observes the monitor, from the caller's process group.
class EndOfRun final : public run::SupervisionObserver {
 public:
  EndOfRun(os::Fd& status, os::Fd& theirs, void (*on_start)())
      : status_(status), theirs_(theirs), on_start_(on_start) {}

  void started(std::int64_t) override {
    theirs_.reset();
    on_start_();
  }
  run::Ready ready(unsigned, ExitStatus& ended) override {
    os::SentEnd sent = {};
    if (!os::read_end(status_.get(), sent)) return run::Ready::nothing;
    ended = {sent.code, sent.signal, false};
    return run::Ready::over;
  }

 private:
  os::Fd& status_;
  os::Fd& theirs_;
  void (*on_start_)();
};

Error no_handle(int error) {
  if (error == ESRCH) {
    return error_of(Code::timed_out, 0,
                    "--die-with: that process has ended, and so the command is not started");
  }
  if (error == EINVAL) {
    return error_of(Code::usage, 0,
                    "--die-with: that is the number of a thread: use the one of its process");
  }
  if (error == EACCES) {
    return error_of(Code::not_permitted, 0,
                    "--die-with: the start time of that process cannot be read here (/proc): leave "
                    "it out");
  }
  if (error == EMFILE || error == ENFILE || error == ENOMEM) {
    Error failed = error_of(Code::internal, error, "--die-with: ");
    failed.message.append(errno_words(error));
    return failed;
  }
  return error_of(Code::usage, error,
                  "--die-with: this system has no handles of processes (pidfd_open, Linux 5.3): "
                  "leave it out");
}

Error cannot_start(int error) {
  Error failed = error_of(Code::internal, error, "--die-with: ");
  failed.message.append(limiter::no_process(error).message);
  return failed;
}

}  // namespace

constinit limiter::FrontProcess limiter::front;

void limiter::FrontProcess::report(const ExitStatus& end) {
  if (status < 0) return;
  os::send_end(status,
               {static_cast<unsigned char>(end.code), static_cast<unsigned char>(end.signal)});
  (void)os::Fd(status);  // closes it
  status = -1;
  // The caller may wait until nobody has these open any more.
  os::silence_streams();
}

Role own_role() {
  const limiter::FromAbove above = limiter::from_above();
  const auto [caller, status, unused, none] = above.numbers;
  if (above.count == 2 && above.parent == os::parent_id() && os::accept_handle(caller) &&
      os::accept_pipe(status)) {
    os::ProcessHandle ended;
    (void)ended.open(above.parent);
    limiter::front = {above.parent, caller, ended.release(), status};
    if (os::parent_id() == above.parent) return Role::monitor;
    os::exit_now(static_cast<int>(Code::timed_out));  // killed, and nothing has begun
  }
  attach_to_monitor();
  return limiter::monitored.has_front ? Role::supervisor : Role::front;
}

Error run_with_caller(char* const* argv, const Caller& caller, void (*started)()) {
  if (!os::kAdoptsOrphans) return no_handle(ENOSYS);
  os::ProcessHandle handle;
  if (const int error = os::open_caller(caller, handle)) return no_handle(error);
  os::Fd status;
  os::Fd theirs;
  if (const int error = os::open_pipe(status, theirs)) return cannot_start(error);
  PathText program;
  if (!os::program_path(program)) return cannot_start(ENOENT);

  const int passed[] = {handle.descriptor(), theirs.get()};
  const int watched[] = {status.get()};
  run::Task task;
  task.is_monitor = true;
  task.is_front = true;
  task.watched = watched;
  task.watched_count = 1;
  EndOfRun observer(status, theirs, started);
  const run::RunReport report =
      limiter::supervise_companion(program.c_str(), argv, passed, task, observer);
  if (report.fork_error != 0) return cannot_start(report.fork_error);
  if (report.exec_error != 0) return cannot_start(report.exec_error);
  os::end_as(report.status);
}

}  // namespace atmost
