// Processes as fibers of one thread. The product's writable data is exchanged at each switch.
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "world/backend.h"
#include "world/kernel.h"
#include "world/process_data.h"

namespace world {
namespace {

constexpr std::size_t kStack = 512 * 1024;

class Fiber {
 public:
  Fiber()
      : stack_(mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {
    if (stack_ == MAP_FAILED) std::abort();
    mprotect(stack_, 4096, PROT_NONE);  // a stack that overflows is a crash
  }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;
  ~Fiber() { munmap(stack_, kStack); }

  // The next switch to it begins with `entry`, with the data of a program that starts.
  void begin(void (*entry)()) {
    data_ = ProcessData::of_a_start();
    prepare(context_, stack_, kStack, entry);
  }
  ucontext_t& context() { return context_; }
  ProcessData& data() { return data_; }

  static void prepare(ucontext_t& context, void* stack, std::size_t size, void (*entry)()) {
    getcontext(&context);
    context.uc_stack.ss_sp = stack;
    context.uc_stack.ss_size = size;
    context.uc_link = nullptr;
    makecontext(&context, entry, 0);
  }

 private:
  void* stack_;
  ucontext_t context_ = {};
  ProcessData data_;
};

// While alive, faults of this thread and every second of its work are handled, on a stack of
// their own.
class FaultHandlers {
 public:
  explicit FaultHandlers(void (*handler)(int)) {
    static char stack[64 * 1024];
    const stack_t own = {stack, 0, sizeof stack};
    sigaltstack(&own, &stack_before_);
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_ONSTACK;
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before_[i]);
    const struct itimerval each = {{1, 0}, {1, 0}};
    setitimer(ITIMER_VIRTUAL, &each, nullptr);
  }
  FaultHandlers(const FaultHandlers&) = delete;
  FaultHandlers& operator=(const FaultHandlers&) = delete;
  ~FaultHandlers() {
    const struct itimerval never = {};
    setitimer(ITIMER_VIRTUAL, &never, nullptr);
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
    sigaltstack(&stack_before_, nullptr);
  }

 private:
  static constexpr std::array<int, 5> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGVTALRM};
  stack_t stack_before_ = {};
  std::array<struct sigaction, kSignals.size()> before_ = {};
};

class Fibers final : public Backend {
 public:
  std::string run(Kernel& kernel) override {
    the_ = this;
    kernel_ = &kernel;
    for (const auto& each : kernel.processes()) fiber_of(*each).begin(enter);
    const ProcessData before = ProcessData::present();
    failure_.clear();
    const FaultHandlers handlers(on_fault);
    Process* const first = kernel.begin();
    if (first != nullptr) {
      fiber_of(*first).data().put();
      swapcontext(&home_, &fiber_of(*first).context());
    }
    before.put();
    for (const auto& each : kernel.processes()) Kernel::unmap_all(*each);
    return failure_;
  }

  void pass(Process& from, Process* to) override {
    fiber_of(from).data().take();
    swapcontext(&fiber_of(from).context(), &arrive(to));
  }

  void leave(Process& from, Process* to) override {
    leaving_ = &from;
    to_ = to;
    // The stack of a process that begins anew is prepared while another one is in use.
    static ucontext_t between;
    static char stack[64 * 1024];
    Fiber::prepare(between, stack, sizeof stack, [] { the_->begin_again(); });
    setcontext(&between);
    std::abort();
  }

 private:
  // A process has crashed, or has used much time without a call: the world ends.
  static void on_fault(int signal) {
    Fibers& fibers = *the_;
    const Process* const runner = fibers.kernel_->runner();
    if (signal == SIGVTALRM) {
      const std::uint64_t calls = fibers.kernel_->calls();
      if (calls != std::exchange(fibers.calls_seen_, calls)) return;
    }
    const std::string what =
        signal == SIGVTALRM ? "hangs" : std::string("crashed, ") + strsignal(signal);
    fibers.failure_ = runner == nullptr ? "home " + what : named(*runner, what);
    setcontext(&fibers.home_);
  }

  static void enter() {
    Process& process = the_->kernel_->running();
    process.program->run(process);
    the_->kernel_->end(process, 0);
  }

  [[noreturn]] void begin_again() {
    fiber_of(*leaving_).begin(enter);
    setcontext(&arrive(to_));
    std::abort();
  }

  // The context of a process, whose data is in place then; null: of home.
  ucontext_t& arrive(Process* to) {
    if (to == nullptr) return home_;
    fiber_of(*to).data().put();
    return fiber_of(*to).context();
  }

  Fiber& fiber_of(const Process& process) {
    const auto at = static_cast<std::size_t>(process.index);
    while (fibers_.size() <= at) fibers_.push_back(std::make_unique<Fiber>());
    return *fibers_[at];
  }

  static inline Fibers* the_ = nullptr;
  Kernel* kernel_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  ucontext_t home_ = {};
  std::string failure_;
  std::uint64_t calls_seen_ = 0;
  Process* leaving_ = nullptr;
  Process* to_ = nullptr;
};

}  // namespace

std::unique_ptr<Backend> make_fibers() { return std::make_unique<Fibers>(); }

}  // namespace world
