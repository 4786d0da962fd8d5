// Processes as real ones, forked from home. Exactly one of them, or home, has the baton and runs;
// the others sleep on words in shared memory.
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>

#include "world/arena.h"
#include "world/backend.h"
#include "world/kernel.h"
#include "world/trap_calls.h"

namespace world {
namespace {

using Baton = std::uint32_t;

void give(Baton& baton) {
  __atomic_store_n(&baton, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &baton, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

// True if it came within `span`; null: however long that takes.
bool await(Baton& baton, const struct timespec* span) {
  while (__atomic_load_n(&baton, __ATOMIC_ACQUIRE) == 0) {
    const long result = syscall(SYS_futex, &baton, FUTEX_WAIT, 0, span, nullptr, 0);
    if (result != 0 && errno != EAGAIN && span != nullptr) return false;
  }
  baton = 0;
  return true;
}

// While alive, this process and what it forks run on one processor: a switch then costs half.
class OneProcessor {
 public:
  OneProcessor() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;
  ~OneProcessor() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

void on_child(int) {}

class RealProcesses final : public Backend {
 public:
  std::string run(Kernel& kernel) override {
    if (!in_arena(&kernel) || !in_arena(this)) return "the kernel is not in shared memory";
    const OneProcessor pinned;
    struct sigaction wakes = {};
    struct sigaction before;
    wakes.sa_handler = on_child;
    sigaction(SIGCHLD, &wakes, &before);
    kernel_ = &kernel;
    numbers_.assign(kernel.processes().size(), 0);
    failure_.clear();
    for (const auto& each : kernel.processes()) begin(*each);
    Process* const first = kernel.begin();
    if (first != nullptr) {
      give(baton_of(*first));
      serve();
    }
    end_all();
    sigaction(SIGCHLD, &before, nullptr);
    return failure_;
  }

  void pass(Process& from, Process* to) override {
    give(to == nullptr ? home_ : baton_of(*to));
    await(baton_of(from), nullptr);
  }

  void leave(Process& from, Process* to) override {
    next_ = to;
    anew_ = from.state == Process::State::ended ? nullptr : &from;
    give(anew_ != nullptr || to == nullptr ? home_ : baton_of(*to));
    leave_real_process();
  }

 private:
  // In a process that made a system call past the table.
  static void on_trap(int number) {
    the_->failure_ = the_->told("made the system call " + std::to_string(number));
    give(the_->home_);
    leave_real_process();
  }

  [[noreturn]] static void leave_real_process() {
    syscall(SYS_exit_group, 0);
    abort();
  }

  Baton& baton_of(const Process& process) {
    const auto at = static_cast<std::size_t>(process.index);
    while (batons_.size() <= at) batons_.push_back(0);
    return batons_[at];
  }

  void begin(Process& process) {
    Baton& baton = baton_of(process);
    baton = 0;
    const pid_t number = fork();
    if (number < 0) failure_ = "fork failed";
    if (number > 0) numbers_[static_cast<std::size_t>(process.index)] = number;
    if (number != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    the_ = this;
    await(baton, nullptr);
    trap_calls(on_trap);  // it takes memory: not before the process has the baton
    process.program->run(process);
    kernel_->end(process, 0);
  }

  // Home: makes processes anew until the world is over or its machinery fails.
  void serve() {
    for (;;) {
      if (!await_home()) return;
      Process* const anew = anew_;
      anew_ = nullptr;
      if (anew == nullptr) return;
      begin(*anew);
      if (next_ == nullptr) return;
      give(baton_of(*next_));
    }
  }

  bool await_home() {
    constexpr struct timespec kLook = {1, 0};
    constexpr int kLooks = 20;
    std::uint64_t seen = 0;
    for (int same = 0; same < kLooks; ++same) {
      if (await(home_, &kLook)) return true;
      if (reap()) return false;
      if (kernel_->calls() != seen) same = 0;
      seen = kernel_->calls();
    }
    failure_ = told("hangs");
    return false;
  }

  std::string told(const std::string& what) const {
    const Process* const runner = kernel_->runner();
    return runner == nullptr ? "home " + what : named(*runner, what);
  }

  // True if a process has crashed. It may run while another process has the baton: it takes no
  // memory and gives none back, as nothing guards the arena.
  bool reap() {
    int status = 0;
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
      std::ranges::replace(numbers_, ended, 0);
      if (WIFSIGNALED(status))
        failure_ = told(std::string("crashed, ") + strsignal(WTERMSIG(status)));
      if (WIFEXITED(status) && WEXITSTATUS(status) != 0) failure_ = told("exited by itself");
    }
    return !failure_.empty();
  }

  void end_all() {
    reap();
    for (const pid_t number : numbers_) {
      if (number != 0) kill(number, SIGKILL);
    }
    while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR) continue;
  }

  static inline RealProcesses* the_ = nullptr;
  Kernel* kernel_ = nullptr;
  Baton home_ = 0;
  std::deque<Baton> batons_;    // by index; an element does not move
  Process* anew_ = nullptr;     // a process that home is to begin anew
  Process* next_ = nullptr;     // runs then; null: the world is over
  std::vector<pid_t> numbers_;  // by index: of the real process; 0: it was reaped
  std::string failure_;
};

}  // namespace

std::unique_ptr<Backend> make_real_processes() { return std::make_unique<RealProcesses>(); }

}  // namespace world
