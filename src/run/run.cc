#include "run.h"

#include "os/signals.h"
#include "os/spawn.h"
#include "supervisor.h"

namespace atmost::run {

RunReport supervise(const Task& task, SupervisionObserver& observer) {
  return Supervisor(task, observer).run();
}

int become(const Task& task) {
  return os::become({.argv = task.argv,
                     .envp = task.envp,
                     .inherit = task.inherit,
                     .inherit_count = task.inherit_count});
}

void end_as(const ExitStatus& status) {
  if (status.signal == 0) os::exit_now(status.code);
  os::die_of(status.signal);
  os::exit_now(128 + status.signal);
}

}  // namespace atmost::run
