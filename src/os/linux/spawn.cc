#include "../spawn.h"

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "../calls.h"
#include "../signals.h"

namespace atmost::os {

const bool kAdoptsOrphans = true;

namespace {

struct ExecJob {
  const Program* program;
  volatile int error;  // written by the child in our memory
};

int child_main(void* argument) {
  ExecJob* job = static_cast<ExecJob*>(argument);
  if (!job->program->signals_held) hand_back_signals();
  if (job->program->signal_at_our_death != 0)
    calls.die_with_parent(job->program->signal_at_our_death);
  job->error = execute(*job->program);
  exit_now(127);
}

}  // namespace

Started spawn(const Program& program) {
  ExecJob job = {&program, 0};
  Started started;
  const pid_t pid = calls.start(child_main, &job);
  if (pid < 0) {
    started.fork_error = errno;
    return started;
  }
  clean_up_after_execute();
  started.exec_error = job.error;
  if (started.exec_error == 0) {
    started.pid = pid;
  } else {
    struct rusage used;
    int status;
    while (calls.wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
    }
  }
  return started;
}

namespace {

// As in process_platform.cc, for each of the two processes, which share our memory while we wait
// for them.
constexpr std::size_t kStack = std::size_t{32} * 1024;

struct Unseen {
  const Program* program;
  char* stack;         // of the second process
  volatile int error;  // of either
};

int become_program(void* argument) {
  Unseen* const unseen = static_cast<Unseen*>(argument);
  unseen->error = execute(*unseen->program);
  exit_now(127);
}

// Between us and the program: ends as soon as that runs.
int middle(void* argument) {
  Unseen* const unseen = static_cast<Unseen*>(argument);
  if (calls.start_unseen(become_program, unseen->stack + kStack, unseen, true) < 0)
    unseen->error = errno;
  exit_now(0);
}

}  // namespace

int start_unseen(const Program& program) {
  void* const stacks =
      calls.mmap(nullptr, 2 * kStack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (stacks == MAP_FAILED) return ENOMEM;
  char* const first = static_cast<char*>(stacks);
  Unseen unseen = {&program, first + kStack, 0};
  // A handler of the program must not run in a process that shares its memory.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  calls.thread_mask(SIG_SETMASK, &all, &before);
  // No signal at its end: such a child is seen only by a wait that asks for it.
  const pid_t pid = calls.start_unseen(middle, first + kStack, &unseen, false);
  const int fork_error = pid < 0 ? errno : 0;
  if (pid > 0) {
    struct rusage used;
    int status;
    while (calls.wait4(pid, &status, static_cast<int>(__WCLONE), &used) < 0 && errno == EINTR) {
    }
  }
  calls.thread_mask(SIG_SETMASK, &before, nullptr);
  clean_up_after_execute();
  calls.munmap(stacks, 2 * kStack);
  return fork_error != 0 ? fork_error : unseen.error;
}

}  // namespace atmost::os
