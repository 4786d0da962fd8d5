#include "actors.h"

#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <string>
#include <system_error>

namespace world {
namespace {

constexpr int kFork = -1;
constexpr int kExec = -2;
constexpr int kStuckAfterSeconds = 60;
const char* const kGoOn = "--go-on-as-actor";

using Word = std::atomic<std::uint32_t>;

void sleep_while(Word& word, std::uint32_t value, const timespec* longest) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, longest, nullptr, 0);
}

void wake(Word& word) { ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void ignore(int) {}

void handle(int number, int flags) {
  struct sigaction action = {};
  action.sa_handler = ignore;
  action.sa_flags = flags;
  ::sigaction(number, &action, nullptr);
}

}  // namespace

struct Actors::Shared {
  struct Channel {
    Word orders{0};
    Word answers{0};
    Order order;
    Answer answer;
    Memory memory = {};
  };
  std::array<Channel, kMost> channels;
};

// Its first answer shows that it is there.
void Actors::serve(Shared& shared, int actor, Obey obey, int memory_fd) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  handle(SIGUSR1, 0);
  handle(SIGUSR2, SA_RESTART);
  Shared::Channel& own = shared.channels[at(actor)];
  Answer answer;
  while (true) {
    const std::uint32_t done = own.orders.load(std::memory_order_acquire);
    own.answer = answer;
    own.answers.store(done, std::memory_order_release);
    wake(own.answers);
    while (own.orders.load(std::memory_order_acquire) == done) {
      sleep_while(own.orders, done, nullptr);
    }
    const Order order = own.order;
    if (order.what == kFork) {
      answer = {};
      answer.result = ::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, 0);
      answer.error = errno;
      if (answer.result == 0) {
        shared.channels[at(order.other)].memory = own.memory;
        serve(shared, order.other, obey, memory_fd);
      }
    } else if (order.what == kExec) {
      const std::string number = std::to_string(actor);
      const std::string memory = std::to_string(memory_fd);
      ::execl("/proc/self/exe", "actor", kGoOn, number.c_str(), memory.c_str(), nullptr);
      ::_exit(127);
    } else {
      answer = obey(order, own.memory);
    }
  }
}

void Actors::go_on(int argc, char** argv, Obey obey) {
  if (argc != 4 || std::strcmp(argv[1], kGoOn) != 0) return;
  const int memory_fd = std::atoi(argv[3]);
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd, 0);
  if (memory == MAP_FAILED) ::_exit(127);
  serve(*static_cast<Shared*>(memory), std::atoi(argv[2]), obey, memory_fd);
}

Actors::Actors(Obey obey) : obey_(obey) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
  ::sched_setaffinity(0, sizeof one, &one);
  memory_fd_ = ::memfd_create("actors", 0);
  if (memory_fd_ < 0 || ::ftruncate(memory_fd_, sizeof(Shared)) != 0) fail("memfd_create");
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory_fd_, 0);
  if (memory == MAP_FAILED) fail("mmap");
  shared_ = new (memory) Shared;
}

Actors::~Actors() {
  for (int actor = 0; actor < kMost; ++actor) {
    if (lives(actor)) end(actor);
  }
  ::munmap(shared_, sizeof(Shared));
  ::close(memory_fd_);
}

void Actors::adopt(int actor, pid_t pid) {
  pids_[at(actor)] = pid;
  const std::string path = "/proc/" + std::to_string(pid) + "/syscall";
  calls_[at(actor)] = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (calls_[at(actor)] < 0) fail(path.c_str());
  wait(actor);
}

void Actors::start(int actor) {
  Shared::Channel& own = shared_->channels[at(actor)];
  own.memory = {};
  own.orders.fetch_add(1, std::memory_order_release);
  const pid_t pid = ::fork();
  if (pid < 0) fail("fork");
  if (pid == 0) serve(*shared_, actor, obey_, memory_fd_);
  adopt(actor, pid);
}

void Actors::fork(int actor, int parent) {
  shared_->channels[at(actor)].orders.fetch_add(1, std::memory_order_release);
  Order order;
  order.what = kFork;
  order.other = actor;
  const Answer answer = ask(parent, order);
  if (answer.result < 0) fail("clone");
  adopt(actor, static_cast<pid_t>(answer.result));
}

void Actors::exec(int actor) {
  Order order;
  order.what = kExec;
  ask(actor, order);
}

void Actors::end(int actor) {
  ::kill(pid(actor), SIGKILL);
  ::waitpid(pid(actor), nullptr, 0);
  ::close(calls_[at(actor)]);
  pids_[at(actor)] = 0;
}

void Actors::tell(int actor, const Order& order) {
  Shared::Channel& own = shared_->channels[at(actor)];
  own.order = order;
  own.orders.fetch_add(1, std::memory_order_release);
  wake(own.orders);
}

std::optional<Answer> Actors::answer(int actor) const {
  const Shared::Channel& own = shared_->channels[at(actor)];
  if (own.answers.load(std::memory_order_acquire) != own.orders.load(std::memory_order_relaxed)) {
    return std::nullopt;
  }
  return own.answer;
}

Answer Actors::wait(int actor) const {
  Shared::Channel& own = shared_->channels[at(actor)];
  const timespec second = {1, 0};
  for (int seconds = 0; seconds < kStuckAfterSeconds;) {
    const std::uint32_t before = own.answers.load(std::memory_order_acquire);
    if (const std::optional<Answer> found = answer(actor)) return *found;
    errno = 0;
    sleep_while(own.answers, before, &second);
    if (errno == ETIMEDOUT) ++seconds;
  }
  throw Stuck("actor " + std::to_string(actor) + " does not answer");
}

bool Actors::sleeps_in(int actor, long call) const {
  char text[24];
  const ssize_t got = ::pread(calls_[at(actor)], text, sizeof text - 1, 0);
  if (got <= 0) return false;
  text[got] = 0;
  char* end = nullptr;
  return std::strtol(text, &end, 10) == call && end != text;
}

void Actors::signal(int actor, int number) const {
  ::kill(pid(actor), number);
  if (number == SIGSTOP) ::waitpid(pid(actor), nullptr, WUNTRACED);
}

}  // namespace world
