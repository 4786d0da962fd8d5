#include "company.h"

#include <cerrno>

#include "core/monitor.h"
#include "core/words.h"
#include "monitored.h"
#include "os/caller.h"
#include "os/file.h"
#include "os/machine.h"
#include "os/self.h"
#include "os/spawn.h"
#include "run/run.h"

namespace atmost {
namespace {

using limiter::Company;

// Observes the monitor, from the caller's process group.
class Front final : public run::SupervisionObserver {
 public:
  Front(os::Fd& status, os::Fd& theirs, void (*on_start)())
      : status_(status), theirs_(theirs), on_start_(on_start) {}

  void started(std::int64_t) override {
    theirs_.reset();
    on_start_();
  }
  void main_ended(const ExitStatus&, bool) override {}
  bool taken(std::int64_t) override { return false; }
  void stopping(int, Stopped) override {}
  std::int64_t check(std::int64_t) override { return Duration::kForever; }
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
  Error failed = error_of(Code::internal, error, "--die-with: cannot start a process: ");
  failed.message.append(errno_words(error));
  return failed;
}

}  // namespace

constinit Company limiter::company;

void Company::report(const ExitStatus& ended) {
  if (status < 0) return;
  os::send_end(status,
               {static_cast<unsigned char>(ended.code), static_cast<unsigned char>(ended.signal)});
  (void)os::Fd(status);  // closes it
  status = -1;
  // The caller may wait until nobody has these open any more.
  os::silence_streams();
}

Role role_in_company() {
  const char* const text = os::variable(limiter::kCompanyVariable);
  if (text != nullptr) {
    std::string_view rest = text;
    const std::int64_t front = limiter::take_number(rest);
    const int caller = static_cast<int>(limiter::take_number(rest));
    const int status = static_cast<int>(limiter::take_number(rest));
    if (front > 0 && front == os::parent_id() && caller >= 0 && status >= 0 && rest.empty() &&
        os::accept_handle(caller) && os::accept_pipe(status)) {
      os::ProcessHandle ended;
      (void)ended.open(front);
      limiter::company = {front, caller, ended.release(), status};
      if (os::parent_id() == front) return Role::monitor;
      os::exit_now(static_cast<int>(Code::timed_out));  // killed, and nothing has begun
    }
  }
  attach_to_monitor();
  return limiter::monitored.in_company ? Role::supervisor : Role::front;
}

Error run_in_company(char* const* argv, const Caller& caller, void (*started)()) {
  if (!os::kAdoptsOrphans) return no_handle(ENOSYS);
  os::ProcessHandle handle;
  if (const int error = os::open_caller(caller, handle)) return no_handle(error);
  os::Fd status;
  os::Fd theirs;
  if (const int error = os::open_pipe(status, theirs)) return cannot_start(error);
  PathText program;
  if (!os::program_path(program)) return cannot_start(ENOENT);

  Text<80> variable(limiter::kCompanyVariable);
  variable.push('=').append_signed(os::process_id());
  for (const int inherited : {handle.descriptor(), theirs.get()})
    variable.push(':').append_signed(inherited);
  const int inherit[] = {handle.descriptor(), theirs.get()};
  const int watched[] = {status.get()};
  run::Task task;
  task.inherit = inherit;
  task.inherit_count = 2;
  task.is_monitor = true;
  task.is_front = true;
  task.watched = watched;
  task.watched_count = 1;
  Front front(status, theirs, started);
  const run::RunReport report =
      limiter::supervise_program(program.c_str(), argv, variable, task, front);
  if (report.fork_error != 0) return cannot_start(report.fork_error);
  if (report.exec_error != 0) return cannot_start(report.exec_error);
  os::end_as(report.status);
}

}  // namespace atmost
