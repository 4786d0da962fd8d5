// Locks of the library in a store of many machines: $FLEET_STORE, or a directory of this machine
// that is served like a shared one; and the helper processes that keep them.
#ifndef ATMOST_TESTS_LIBRARY_FLEET_KIT_H
#define ATMOST_TESTS_LIBRARY_FLEET_KIT_H

#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <fstream>
#include <string>
#include <vector>

#include "library_kit.h"

struct Loss {
  std::atomic<std::uint64_t> token{0};
  static void tell(void* context, std::uint64_t token) {
    static_cast<Loss*>(context)->token = token;
  }
};

inline std::string output_of(const std::string& line) {
  std::string output;
  FILE* const pipe = popen(line.c_str(), "r");
  char buffer[4096];
  while (const std::size_t size = fread(buffer, 1, sizeof buffer, pipe))
    output.append(buffer, size);
  pclose(pipe);
  return output;
}

inline pid_t parent_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("PPid:")) return std::stoi(line.substr(5));
  }
  return 0;
}

inline std::vector<pid_t> children_of(pid_t pid) {
  const std::string number = std::to_string(pid);
  std::ifstream all("/proc/" + number + "/task/" + number + "/children");
  std::vector<pid_t> pids;
  for (pid_t child; all >> child;) pids.push_back(child);
  return pids;
}

class FleetLibrary : public Library {
 public:
  pid_t supervisor() const {
    const std::string entries = listed();
    const std::size_t at = entries.find("\"pid\":");
    return at == std::string::npos ? 0 : std::stoi(entries.substr(at + 6));
  }
  // The command, which stands for our work.
  pid_t command() const {
    const std::vector<pid_t> children = children_of(supervisor());
    return children.size() == 1 ? children[0] : 0;
  }
  // The process above the supervisor and its monitor, which asks.
  pid_t asker() const { return parent_of(parent_of(supervisor())); }

 protected:
  void SetUp() override {
    Library::SetUp();
    const char* const given = getenv("FLEET_STORE");
    store_ = given != nullptr ? given : "shared:" + directory_ + "/store";
    if (given == nullptr) {
      std::filesystem::create_directory(directory_ + "/store");
      setenv("ATMOST_TESTS_SHARED_ANYWHERE", "1", 1);
    }
    setenv("ATMOST_EXEC_PATH", (bin() + "/../libexec/atmost").c_str(), 1);
    // At its end a helper that looks for leaks stops itself by SIGSTOP, and for ever if a taker's
    // SIGCONT discards that.
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    static int nth = 0;
    name_ = "lock-" + std::to_string(getpid()) + "-" + std::to_string(++nth);
    limits_.set("store", store_);
  }

  // Processes that are ending may still write there.
  void TearDown() override {
    std::error_code error;
    EXPECT_TRUE(eventually([&] {
      std::filesystem::remove_all(directory_, error);
      return !std::filesystem::exists(directory_, error);
    }));
  }

  static std::string bin() { return getenv("ATMOST_BIN"); }
  atmost::Held get() { return atmost::Named(name_).get_lock(limits_); }
  // Waits for it, as long as any process could still have it.
  atmost::Held get_soon() {
    atmost::Limits patient = limits_;
    patient.set("wait", 60);
    patient.on_lost(nullptr, nullptr);
    return atmost::Named(name_).get_lock(patient);
  }
  std::string listed() const {
    return output_of(bin() + "/atmost list --json --store '" + store_ + "' " + name_);
  }
  bool any_waits() const { return listed().find("\"waiting\"") != std::string::npos; }
  atmost::Held get_told(Loss& loss) {
    limits_.on_lost(Loss::tell, &loss);
    return get();
  }
  // The lock is held, one of its helper processes is killed, and the lock is lost.
  void expect_loss_without(pid_t (FleetLibrary::*helper)() const) {
    Loss loss;
    const atmost::Held held = get_told(loss);
    ASSERT_TRUE(held) << held.reason();
    const pid_t pid = (this->*helper)();
    ASSERT_GT(pid, 1);
    ASSERT_EQ(kill(pid, SIGKILL), 0);
    expect_loss(loss, held);
  }
  void expect_loss(Loss& loss, const atmost::Held& held) {
    const std::uint64_t token = held.token();
    EXPECT_TRUE(eventually([&] { return loss.token == token; }));
    EXPECT_FALSE(held);
    EXPECT_TRUE(get_soon());
  }
  // A process that takes the lock, reports it and waits for its end; `then` is done in it first.
  pid_t start_holder(void (*then)(atmost_lock* lock)) {
    EXPECT_EQ(pipe(told_), 0);
    const pid_t holder = fork();
    if (holder != 0) {
      char mark = 0;
      EXPECT_EQ(read(told_[0], &mark, 1), 1);
      EXPECT_EQ(mark, 'h');
      close(told_[0]);
      close(told_[1]);
      return holder;
    }
    atmost_lock* lock = nullptr;
    const int answer = get_by(name_.c_str(), limits_, &lock);
    if (answer == ATMOST_ADMITTED) then(lock);
    (void)!write(told_[1], answer == ATMOST_ADMITTED ? "h" : "?", 1);
    for (;;) pause();
  }
  static void kill_and_wait(pid_t pid) {
    kill(pid, SIGKILL);
    EXPECT_EQ(waitpid(pid, nullptr, 0), pid);
  }

  std::string store_;
  std::string name_;
  int told_[2] = {};
};

#endif
