// Real processes that obey a comparison with the kernel, one order at a time. Orders and answers
// lie in shared memory; each side sleeps on a futex meanwhile. All run on the processor of the
// driver, as a switch there is the cheapest.
#ifndef ATMOST_TESTS_WORLD_ACTORS_H
#define ATMOST_TESTS_WORLD_ACTORS_H

#include <fcntl.h>
#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>

namespace world {

struct Order {
  int what = 0;  // below 0: reserved
  int slot = 0;
  int other = 0;
  int number = 0;
  std::int64_t value = 0;
  struct flock lock = {};
};

struct Answer {
  std::int64_t result = 0;
  int error = 0;  // errno if the result is −1
  struct flock lock = {};
};

// An actor that did not answer for a minute.
struct Stuck : std::runtime_error {
  using runtime_error::runtime_error;
};

class Actors {
 public:
  static constexpr int kMost = 8;
  // The memory of an actor; a forked actor begins with a copy, an exec keeps it.
  using Memory = std::array<std::int64_t, 16>;
  // Runs in the actor.
  using Obey = Answer (*)(const Order& order, Memory& memory);

  // Before anything else in main(): an actor that called exec goes on here, and does not return.
  static void go_on(int argc, char** argv, Obey obey);

  explicit Actors(Obey obey);
  Actors(const Actors&) = delete;
  Actors& operator=(const Actors&) = delete;
  ~Actors();  // ends all

  // A new process without memory in the place of an actor that is not there.
  void start(int actor);
  // A fork of `parent` in the place of an actor that is not there; its parent is the driver.
  void fork(int actor, int parent);
  // The actor calls exec: descriptors that close on exec are closed.
  void exec(int actor);
  // By SIGKILL. Its memory and descriptors are given back when this returns.
  void end(int actor);
  bool lives(int actor) const { return pids_[at(actor)] != 0; }
  pid_t pid(int actor) const { return pids_[at(actor)]; }

  void tell(int actor, const Order& order);
  std::optional<Answer> answer(int actor) const;
  Answer wait(int actor) const;
  Answer ask(int actor, const Order& order) {
    tell(actor, order);
    return wait(actor);
  }

  // True if the actor sleeps in the system call.
  bool sleeps_in(int actor, long call) const;
  // SIGUSR1 interrupts a call (EINTR); SIGUSR2 has SA_RESTART; SIGSTOP returns when it is stopped.
  void signal(int actor, int number) const;

 private:
  struct Shared;
  static std::size_t at(int actor) { return static_cast<std::size_t>(actor); }
  [[noreturn]] static void serve(Shared& shared, int actor, Obey obey, int memory_fd);
  void adopt(int actor, pid_t pid);

  Obey obey_;
  int memory_fd_ = -1;
  Shared* shared_ = nullptr;
  std::array<pid_t, kMost> pids_ = {};
  std::array<int, kMost> calls_ = {};  // descriptors of /proc/PID/syscall
};

}  // namespace world

#endif
