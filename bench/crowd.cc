#include "crowd.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

extern char** environ;

namespace bench {
namespace {

// The keeper's own side: orders come as lines with a number on descriptor 0, answers go to
// descriptor 1.
class Keeper {
 public:
  Keeper(std::string bin, std::string kind, std::string lock, std::string most)
      : bin_(std::move(bin)),
        strangers_(kind == "strangers"),
        lock_(std::move(lock)),
        most_(std::move(most)) {
    if (pipe2(stay_, O_CLOEXEC) != 0 || pipe2(ready_, O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
  }

  void grow(int to) {
    witness::Streams streams{stay_[0], ready_[1], -1};
    if (strangers_) {
      if (to > held_) {
        world_.start({witness::helper("bench_hold"), lock_, std::to_string(held_ + 1),
                      std::to_string(to - held_)},
                     streams);
      }
      await(to);
      return;
    }
    while (held_ < to) {
      // One after another: all at once would only queue for the guard.
      world_.start({bin_ + "/atmost", "run", "-w", "inf", "-n", most_, lock_, "--",
                    witness::helper("bench_hold")},
                   streams);
      await(held_ + 1);
    }
  }

 private:
  void await(int count) {
    char bytes[256];
    while (held_ < count) {
      const auto want =
          std::min<std::size_t>(sizeof bytes, static_cast<std::size_t>(count - held_));
      const ssize_t got = read(ready_[0], bytes, want);
      if (got <= 0) throw std::runtime_error("the crowd is lost");
      held_ += static_cast<int>(got);
    }
  }

  witness::World world_;
  std::string bin_;
  bool strangers_;
  std::string lock_;
  std::string most_;
  int stay_[2] = {-1, -1};   // holders stay until this ends
  int ready_[2] = {-1, -1};  // each reports here that it holds
  int held_ = 0;
};

}  // namespace

int keep_crowd(const Argv& arguments) {
  if (arguments.size() != 4) return 64;
  Keeper keeper(arguments[0], arguments[1], arguments[2], arguments[3]);
  std::string order;
  for (char byte; read(0, &byte, 1) == 1;) {
    if (byte != '\n') {
      order += byte;
      continue;
    }
    keeper.grow(std::atoi(order.c_str()));
    order.clear();
    if (write(1, ".", 1) != 1) break;
  }
  return 0;  // the destructors end the crowd
}

Crowd::Crowd(const Options& options, HeldBy held_by, const std::string& lock, int most) {
  int to[2];
  int from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const Argv argv{witness::helper("bench_run"),
                  "--keep-crowd",
                  options.bin,
                  held_by == HeldBy::strangers ? "strangers" : "supervisors",
                  lock,
                  std::to_string(most)};
  std::vector<char*> raw;
  for (const std::string& arg : argv) raw.push_back(const_cast<char*>(arg.c_str()));
  raw.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, to[0], 0);
  posix_spawn_file_actions_adddup2(&actions, from[1], 1);
  const int error = posix_spawn(&keeper_, raw[0], &actions, nullptr, raw.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(to[0]);
  close(from[1]);
  orders_ = to[1];
  answers_ = from[0];
  if (error != 0) throw std::runtime_error("cannot start the crowd's keeper");
}

Crowd::~Crowd() {
  close(orders_);
  close(answers_);
  while (waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Crowd::grow(int to) {
  const std::string order = std::to_string(to) + "\n";
  char answer = 0;
  if (write(orders_, order.data(), order.size()) != static_cast<ssize_t>(order.size()) ||
      read(answers_, &answer, 1) != 1) {
    throw std::runtime_error("the crowd's keeper has died");
  }
}

}  // namespace bench
