// Locks of the library in a store of many machines: $FLEET_STORE, or a directory of this machine
// that is served like a shared one. What harm to the program or to the helper processes does to the
// lock.
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <sstream>
#include <vector>

#include "library_kit.h"

namespace {

struct Loss {
  std::atomic<std::uint64_t> token{0};
  static void tell(void* context, std::uint64_t token) {
    static_cast<Loss*>(context)->token = token;
  }
};

std::string output_of(const std::string& line) {
  std::string output;
  FILE* const pipe = popen(line.c_str(), "r");
  char buffer[4096];
  while (const std::size_t size = fread(buffer, 1, sizeof buffer, pipe))
    output.append(buffer, size);
  pclose(pipe);
  return output;
}

pid_t parent_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("PPid:")) return std::stoi(line.substr(5));
  }
  return 0;
}

std::vector<pid_t> children_of(pid_t pid) {
  const std::string number = std::to_string(pid);
  std::ifstream all("/proc/" + number + "/task/" + number + "/children");
  std::vector<pid_t> pids;
  for (pid_t child; all >> child;) pids.push_back(child);
  return pids;
}

class FleetLibrary : public Library {
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
    limits_.store = store_.c_str();
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
  // Waits for it, as long as somebody could still have it.
  atmost::Held get_soon() {
    atmost::Limits patient = limits_;
    patient.wait = 60;
    patient.on_lost = nullptr;
    return atmost::Named(name_).get_lock(patient);
  }
  std::string listed() const {
    return output_of(bin() + "/atmost list --json --store '" + store_ + "' " + name_);
  }
  bool any_waits() const { return listed().find("\"waiting\"") != std::string::npos; }
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
  atmost::Held get_told(Loss& loss) {
    limits_.on_lost = Loss::tell;
    limits_.context = &loss;
    return get();
  }
  // What a lost lock does, whichever process was killed.
  void expect_loss(Loss& loss, const atmost::Held& held) {
    const std::uint64_t token = held.token();
    EXPECT_TRUE(eventually([&] { return loss.token == token; }));
    EXPECT_FALSE(held);
    EXPECT_TRUE(get_soon());
  }
  // A process that takes the lock, says so and waits for its end; `then` is done in it first.
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
    const int answer = atmost_get(name_.c_str(), &limits_, &lock);
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

TEST_F(FleetLibrary, IsHeldAndReleased) {
  limits_.id = "a note";
  atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  EXPECT_EQ(held.slot(), 1u);
  const std::uint64_t token = held.token();
  EXPECT_GT(token, 0u);
  EXPECT_NE(listed().find("a note"), std::string::npos) << listed();
  const atmost::Held other = get();
  EXPECT_EQ(other.answer(), ATMOST_BUSY);
  EXPECT_EQ(other.reason(), name_ + ": busy: 1 of 1 slots held");
  EXPECT_STREQ(atmost_why(), "no_slot");
  held.release(true);
  const atmost::Held again = get();
  ASSERT_TRUE(again) << again.reason();
  EXPECT_GT(again.token(), token);
}

TEST_F(FleetLibrary, OptionsAreThoseOfRun) {
  limits_.max = 3;
  limits_.take = 2;
  const atmost::Held two = get();
  ASSERT_TRUE(two) << two.reason();
  limits_.take = 1;
  const atmost::Held one = get();
  ASSERT_TRUE(one) << one.reason();
  EXPECT_EQ(one.slot(), 3u);
  limits_.wait = 0.25;
  EXPECT_EQ(get().answer(), ATMOST_BUSY);
}

TEST_F(FleetLibrary, TooSoonSaysWhenToComeBack) {
  limits_.if_elapsed = 900;
  get().release(true);
  const atmost::Held soon = get();
  EXPECT_EQ(soon.answer(), ATMOST_TOO_SOON) << soon.reason();
  EXPECT_GT(soon.retry_in(), 800);
  EXPECT_LE(soon.retry_in(), 900);
}

TEST_F(FleetLibrary, AnAtomIsOneForTheFleet) {
  atmost_lock* lock = nullptr;
  ASSERT_EQ(atmost_get_atom("copy", name_.c_str(), nullptr, &limits_, &lock), ATMOST_ADMITTED)
      << atmost_message();
  atmost_lock* other = nullptr;
  EXPECT_EQ(atmost_get(("copy:" + name_).c_str(), &limits_, &other), ATMOST_BUSY);
  ASSERT_EQ(atmost_get_atom("copy", name_.c_str(), "elsewhere", &limits_, &other), ATMOST_ADMITTED)
      << atmost_message();
  atmost_release(other, 1);
  atmost_release(lock, 1);
}

TEST_F(FleetLibrary, WhatRunRefusesIsRefused) {
  limits_.trust_fs = 1;
  EXPECT_EQ(get().answer(), ATMOST_USAGE);
  EXPECT_STREQ(atmost_message(),
               "--trust-fs: a fleet's lock lies on no filesystem of this machine: leave it out");
  limits_.trust_fs = 0;
  limits_.expire_after = ATMOST_AUTO;
  EXPECT_EQ(get().answer(), ATMOST_USAGE);
  limits_.expire_after = INFINITY;
  limits_.may_be_killed = 1;
  EXPECT_EQ(get().answer(), ATMOST_USAGE);
  limits_.may_be_killed = 0;
  name_ = "/tmp/elsewhere";
  EXPECT_EQ(get().answer(), ATMOST_USAGE) << atmost_message();
  EXPECT_FALSE(std::filesystem::exists(name_));
  EXPECT_EQ(atmost_check("a", &limits_, nullptr), ATMOST_USAGE);
  EXPECT_EQ(atmost_list(
                "a", &limits_, [](void*, const atmost_entry*) { return 0; }, nullptr),
            ATMOST_USAGE);
  EXPECT_STREQ(atmost_message(), "store: use atmost list or atmost check for locks of a fleet");
}

TEST_F(FleetLibrary, WithoutItsProgramThereIsNoLock) {
  setenv("ATMOST_EXEC_PATH", directory_.c_str(), 1);
  const atmost::Held held = get();
  EXPECT_EQ(held.answer(), ATMOST_UNAVAILABLE);
  EXPECT_EQ(held.reason(),
            "atmost-relay, by which programs use stores of many machines, is not installed");
}

TEST_F(FleetLibrary, AStoreThatCannotBeReachedIsSaid) {
  limits_.store = "etcd://127.0.0.1:1/t";
  if (!std::filesystem::exists(bin() + "/../libexec/atmost/atmost-fleet")) GTEST_SKIP();
  const atmost::Held held = get();
  EXPECT_EQ(held.answer(), ATMOST_UNAVAILABLE);
  EXPECT_NE(held.reason().find("127.0.0.1:1"), std::string::npos) << held.reason();
}

TEST_F(FleetLibrary, AKilledProgramHoldsNothing) {
  const pid_t holder = start_holder([](atmost_lock*) {});
  EXPECT_EQ(get().answer(), ATMOST_BUSY);
  kill_and_wait(holder);
  EXPECT_TRUE(get_soon());
}

TEST_F(FleetLibrary, AKilledSupervisorIsALoss) {
  Loss loss;
  const atmost::Held held = get_told(loss);
  ASSERT_TRUE(held) << held.reason();
  ASSERT_EQ(kill(supervisor(), SIGKILL), 0);
  expect_loss(loss, held);
}

TEST_F(FleetLibrary, AKilledCommandIsALoss) {
  Loss loss;
  const atmost::Held held = get_told(loss);
  ASSERT_TRUE(held) << held.reason();
  ASSERT_EQ(kill(command(), SIGKILL), 0);
  expect_loss(loss, held);
}

TEST_F(FleetLibrary, AKilledAskerIsALoss) {
#ifdef ATMOST_PORTABLE
  GTEST_SKIP();
#endif
  Loss loss;
  const atmost::Held held = get_told(loss);
  ASSERT_TRUE(held) << held.reason();
  const pid_t asker = parent_of(parent_of(supervisor()));
  ASSERT_EQ(kill(asker, SIGKILL), 0);
  expect_loss(loss, held);
}

TEST_F(FleetLibrary, ATakerIsToldOf) {
  Loss loss;
  const atmost::Held held = get_told(loss);
  ASSERT_TRUE(held) << held.reason();
  atmost::Limits taker = limits_;
  taker.on_lost = nullptr;
  taker.expire_after = 0;
  const atmost::Held taken = atmost::Named(name_).get_lock(taker);
  ASSERT_TRUE(taken) << taken.reason();
  EXPECT_TRUE(eventually([&] { return loss.token == held.token(); }));
  EXPECT_FALSE(held);
  EXPECT_TRUE(taken);
}

TEST_F(FleetLibrary, MaxHoldEndsAHold) {
  Loss loss;
  limits_.max_hold = 0.2;
  const atmost::Held held = get_told(loss);
  const std::uint64_t token = held.token();
  ASSERT_GT(token, 0u) << held.reason();
  EXPECT_TRUE(eventually([&] { return loss.token == token; }));
}

// As the lock of a file: those who have the open descriptors have the lock.
TEST_F(FleetLibrary, AForkedChildSharesTheLock) {
  static pid_t child;
  int number[2];
  ASSERT_EQ(pipe(number), 0);
  static int write_to;
  write_to = number[1];
  const pid_t holder = start_holder([](atmost_lock* lock) {
    child = fork();
    if (child != 0) {
      (void)!write(write_to, &child, sizeof child);
      return;
    }
    if (atmost_held(lock) == 0) _exit(1);
    for (;;) pause();
  });
  ASSERT_EQ(read(number[0], &child, sizeof child), static_cast<ssize_t>(sizeof child));
  kill_and_wait(holder);
  EXPECT_EQ(get().answer(), ATMOST_BUSY);
  kill(child, SIGKILL);
  EXPECT_TRUE(get_soon());
  close(number[0]);
  close(number[1]);
}

TEST_F(FleetLibrary, AReleaseFreesTheSlotInSpiteOfAForkedChild) {
  atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  held.release(true);
  EXPECT_TRUE(get());
  kill_and_wait(child);
}

TEST_F(FleetLibrary, ACancelledWaitLeavesTheQueue) {
  const atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  limits_.wait = INFINITY;
  atmost_request* request = nullptr;
  ASSERT_EQ(atmost_begin(name_.c_str(), &limits_, &request), ATMOST_ADMITTED);
  EXPECT_TRUE(eventually([&] { return any_waits(); }));
  EXPECT_EQ(atmost_answered(request), 0);
  atmost_cancel(request);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_INTERRUPTED);
  EXPECT_TRUE(eventually([&] { return !any_waits(); }));
}

TEST_F(FleetLibrary, AnInterruptedWaitLeavesTheQueue) {
  const atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = [](int) {};
  sigaction(SIGUSR1, &action, &before);
  limits_.wait = INFINITY;
  limits_.interruptible = 1;
  std::atomic<int> answer{-1};
  std::thread waiter([&] { answer = get().answer(); });
  EXPECT_TRUE(eventually([&] { return any_waits(); }));
  pthread_kill(waiter.native_handle(), SIGUSR1);
  waiter.join();
  EXPECT_EQ(answer, ATMOST_INTERRUPTED);
  EXPECT_TRUE(eventually([&] { return !any_waits(); }));
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(FleetLibrary, AKilledWaiterLeavesTheQueue) {
  const atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  const pid_t waiter = fork();
  if (waiter == 0) {
    limits_.wait = INFINITY;
    (void)get();
    _exit(1);
  }
  EXPECT_TRUE(eventually([&] { return any_waits(); }));
  kill_and_wait(waiter);
  EXPECT_TRUE(eventually([&] { return !any_waits(); }));
}

TEST_F(FleetLibrary, ARequestIsAnsweredWhenTheLockIsFree) {
  atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  limits_.wait = 60;
  atmost_request* request = nullptr;
  ASSERT_EQ(atmost_begin(name_.c_str(), &limits_, &request), ATMOST_ADMITTED);
  EXPECT_TRUE(eventually([&] { return any_waits(); }));
  held.release(true);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED) << atmost_message();
  atmost_release(lock, 1);
}

std::atomic<int> children_ended{0};

// Neither a signal nor a status of a process that the program did not start.
TEST_F(FleetLibrary, TheHelpersAreNoChildrenOfTheProgram) {
#ifdef ATMOST_PORTABLE
  GTEST_SKIP();
#endif
  struct sigaction action = {};
  struct sigaction before = {};
  action.sa_handler = [](int) { ++children_ended; };
  sigaction(SIGCHLD, &action, &before);
  atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  held.release(true);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
  EXPECT_EQ(children_ended, 0);
  sigaction(SIGCHLD, &before, nullptr);
}

TEST_F(FleetLibrary, SignalsOfTheProgramAreNotTheirs) {
  struct sigaction ignored = {};
  struct sigaction before = {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignored, &before);
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &term, nullptr);
  atmost::Held held = get();
  pthread_sigmask(SIG_UNBLOCK, &term, nullptr);
  signal(SIGTERM, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  sigaction(SIGCHLD, &before, nullptr);
  ASSERT_TRUE(held) << held.reason();
  std::ifstream status("/proc/" + std::to_string(command()) + "/status");
  int seen = 0;
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("SigBlk:") && !line.starts_with("SigIgn:")) continue;
    // 32 and 33 are the C library's own.
    EXPECT_EQ(std::stoull(line.substr(7), nullptr, 16) & ~(3ull << 31), 0u) << line;
    ++seen;
  }
  EXPECT_EQ(seen, 2);
  held.release(true);
  EXPECT_TRUE(get());
}

TEST_F(FleetLibrary, DescriptorsOfTheProgramAreNotTheirs) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);  // as programs do that know nothing of close-on-exec
  const atmost::Held held = get();
  ASSERT_TRUE(held) << held.reason();
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

TEST_F(FleetLibrary, TheHistoryIsThatOfRun) {
  limits_.log = nullptr;
  const std::string log = path("history.jsonl");
  limits_.log = log.c_str();
  get().release(true);
  std::ifstream file(log);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("\"admitted\""), std::string::npos) << text.str();
  EXPECT_NE(text.str().find("\"ended\""), std::string::npos) << text.str();
}

}  // namespace
