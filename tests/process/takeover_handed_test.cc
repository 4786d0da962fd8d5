// Ways to make a taker signal a process that never ran under the lock, where others than the taker
// may write it.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/process.h"
#include "takeover_bystander.h"
#include "takeover_kit.h"
#include "takeover_namespace.h"
#include "unit/store/lock_kit.h"

namespace witness {
namespace {

using atmost::HolderKind;
using atmost::local::proof_byte;
using atmost::local::Record;
using atmost::local::slot_byte;

// The owner of the lock that everybody may write.
enum class Owner { root, somebody };

class Handed : public Takeover, public ::testing::WithParamInterface<Owner> {
 protected:
  static constexpr std::uint64_t kToken = 4711;

  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    ASSERT_EQ(chmod(directory_.path().c_str(), 01777), 0);
    ASSERT_EQ(ask(join(run({"--no-history"}), {"/bin/true"})).end,
              "exit 0");  // a header that can be believed
    make_shared(lock_);
  }
  void make_shared(const std::string& path) {
    if (GetParam() == Owner::somebody) {
      ASSERT_EQ(chown(path.c_str(), kSomebody, kSomebody), 0);
    }
    ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  }

  // Somebody locks the slot and gives the descriptor away; `stays`: and goes on having it.
  pid_t lock_and_give(const Line& line, int command = F_OFD_SETLK) {
    return stay([&] {
      become(kSomebody);
      const int fd = open_lock(lock_);
      lock_byte(fd, command, slot_byte(1));
      line.give(fd);
    });
  }
  static void end(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  // Root's, and has what it was sent.
  static pid_t receiver(const Line& line) {
    return stay([&] { (void)line.take(); });
  }
  // The content of a record is what somebody wants it to say.
  void forge(pid_t pid, HolderKind kind, unsigned user = 0, pid_t kept_for = 0) {
    Record record = {};
    record.token = kToken;
    record.start_real_ns = 1'700'000'000'000'000'000;
    record.slot = 1;
    record.pid = static_cast<std::uint32_t>(pid);
    record.uid = user;
    record.kind = static_cast<std::uint8_t>(kind);
    record.kept_for = static_cast<std::uint64_t>(kept_for);
    atmost::os::ProcessFacts facts;
    if (kept_for != 0 && atmost::os::process_facts(kept_for, facts) == 0)
      record.kept_for_start_ns = facts.start_boot_ns;
    record.checksum = atmost::local::checksum_of(&record, sizeof record - sizeof record.checksum);
    atmost::local::Outsider(lock_).put(record, atmost::local::record_at(1));
  }
  // Every taker leaves it alone.
  void expect_spared(pid_t bystander, const std::string& answer = "exit 77", const Argv& as = {}) {
    const Argv grace = {"--no-history", "--kill-grace", "50ms"};
    const Argv takers[] = {
        join(join(as, run(join(grace, {"--expire-after", "0"}))), {"/bin/true"}),
        join(join(as, run(join(grace, {"--on-busy=replace"}))), {"/bin/true"}),
        join(as, {under_test("atmost"), "kill", "--kill-grace", "50ms", lock_}),
    };
    ASSERT_EQ(harm_to(bystander), "");
    for (const Argv& taker : takers) {
      const Answer taken = ask(taker, kLong);
      EXPECT_EQ(harm_to(bystander), "") << taken.errors;
      if (!answer.empty()) {
        EXPECT_EQ(taken.end, answer) << taken.errors;
      }
      if (answer == "exit 77") {
        EXPECT_NE(taken.errors.find("cannot be proven"), std::string::npos) << taken.errors;
        EXPECT_NE(taken.errors.find("process " + std::to_string(bystander)), std::string::npos)
            << taken.errors;
      }
    }
    kill(bystander, SIGKILL);
  }
  // A copy of run_child that makes everybody root.
  std::string privileged() {
    const std::string path = file("privileged");
    EXPECT_EQ(ask({"/bin/cp", helper("run_child"), path}).end, "exit 0");
    EXPECT_EQ(chmod(path.c_str(), 04755), 0);
    return path;
  }
  static bool is_roots(pid_t pid) {
    return text_of("/proc/" + std::to_string(pid) + "/status").find("\nUid:\t0\t0\t0\t") !=
           std::string::npos;
  }
};

TEST_P(Handed, ADescriptorOverASocket) {
  const Line line;
  end(lock_and_give(line));
  expect_spared(receiver(line));
}

TEST_P(Handed, ADescriptorWhoseGiverLives) {
  const Line line;
  lock_and_give(line);
  expect_spared(receiver(line));
}

TEST_P(Handed, ADescriptorAndAForgedRecord) {
  for (const HolderKind kind : {HolderKind::supervised, HolderKind::exec, HolderKind::keeper}) {
    const Line line;
    end(lock_and_give(line));
    const pid_t bystander = receiver(line);
    forge(bystander, kind);
    expect_spared(bystander);
    waitpid(bystander, nullptr, 0);
  }
}

TEST_P(Handed, ADescriptorAndAForgedWord) {
  const Line line;
  end(lock_and_give(line));
  const pid_t bystander = receiver(line);
  forge(bystander, HolderKind::supervised);
  const atmost::local::Word word = {static_cast<std::uint32_t>(bystander), 0};
  atmost::local::Outsider(lock_).put(word, atmost::local::word_at(1));
  expect_spared(bystander);
}

TEST_P(Handed, ADescriptorToTheTakersOwn) {
  const Line line;
  end(lock_and_give(line));
  const pid_t bystander = stay([&] {
    become(kSomebodyElse);
    fcntl(line.take(), F_SETFD, 0);
    execl(helper("run_child").c_str(), "run_child", "pause",
          nullptr);  // its user may look at it again
  });
  const std::string id = std::to_string(kSomebodyElse);
  expect_spared(bystander, "exit 77",
                {"/usr/bin/setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups"});
}

// The lock's taker shared his descriptors and has ended; the bystander has his number.
TEST_P(Handed, ARecycledNumber) {
  const Line line;
  int number_of[2];
  ASSERT_EQ(pipe2(number_of, O_CLOEXEC), 0);
  stay([&] {
    become(kSomebody);
    const int fd = open_lock(lock_);
    lock_byte(fd, F_OFD_SETLK, slot_byte(1));
    const pid_t taker = share_descriptors([&] { lock_byte(fd, F_SETLK, proof_byte(1)); });
    waitpid(taker, nullptr, 0);
    (void)!write(number_of[1], &taker, sizeof taker);
    line.give(fd);
  });
  pid_t number = 0;
  ASSERT_EQ(read(number_of[0], &number, sizeof number), static_cast<ssize_t>(sizeof number));
  close(number_of[0]);
  close(number_of[1]);
  const pid_t bystander = stay_with_number(number, [&] { (void)line.take(); });
  if (bystander == 0) GTEST_SKIP() << "the number cannot be had";
  forge(bystander, HolderKind::exec);
  expect_spared(bystander, "");
}

TEST_P(Handed, AForgedEnvironment) {
  const std::string program = privileged();
  const pid_t bystander = stay([&] {
    become(kSomebody);
    const int fd = open_lock(lock_);
    fcntl(fd, F_SETFD, 0);
    lock_byte(fd, F_OFD_SETLK, slot_byte(1));
    setenv("ATMOST_TOKEN", std::to_string(kToken).c_str(), 1);
    setenv("ATMOST_LOCKFILE", lock_.c_str(), 1);
    execl(program.c_str(), program.c_str(), "become=0", mark("privileged-mark").c_str(), "pause",
          nullptr);
  });
  ASSERT_EQ(marked("privileged-mark")[0], bystander);
  if (!is_roots(bystander)) GTEST_SKIP() << "no set-user-id";
  forge(bystander, HolderKind::exec);
  expect_spared(bystander);
}

// It ran under a lock, of another file.
TEST_P(Handed, TheEnvironmentOfAnotherLock) {
  const Line line;
  end(lock_and_give(line));
  const pid_t bystander = stay([&] {
    become(kSomebodyElse);
    fcntl(line.take(), F_SETFD, 0);
    setenv("ATMOST_TOKEN", std::to_string(kToken).c_str(), 1);
    setenv("ATMOST_LOCKFILE", file("other").c_str(), 1);
    execl(helper("run_child").c_str(), "run_child", "pause", nullptr);
  });
  forge(bystander, HolderKind::exec, kSomebodyElse);
  expect_spared(bystander);
}

TEST_P(Handed, ADebugger) {
  const Line line;
  const pid_t holder = lock_and_give(line, F_SETLK);
  const pid_t bystander = stay([&] { (void)!ptrace(PTRACE_SEIZE, holder, nullptr, nullptr); });
  expect_spared(bystander, "");
}

TEST_P(Handed, WhoFetchedTheDescriptor) {
  const Line line;
  const pid_t holder = lock_and_give(line);
  const pid_t bystander = stay([&] {
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, holder, 0));
    for (int fd = 3; fd < 64; ++fd) (void)syscall(SYS_pidfd_getfd, handle, fd, 0);
  });
  end(holder);
  expect_spared(bystander);
}

TEST_P(Handed, WhoOpenedItThroughProc) {
  const Line line;
  const pid_t holder = lock_and_give(line, F_SETLK);
  const std::string of_holder = "/proc/" + std::to_string(holder) + "/fd/";
  const pid_t bystander = stay([&] {
    for (int fd = 3; fd < 64; ++fd) (void)open((of_holder + std::to_string(fd)).c_str(), O_RDWR);
  });
  expect_spared(bystander, "exit 0");
}

// The lock of another file, under this one's name.
TEST_P(Handed, AHardLink) {
  const std::string other = file("other");
  const pid_t bystander = stay([&] {
    const int fd = open(other.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    lock_byte(fd, F_OFD_SETLK, slot_byte(1));
  });
  ASSERT_EQ(unlink(lock_.c_str()), 0);
  ASSERT_EQ(link(other.c_str(), lock_.c_str()), 0);
  expect_spared(bystander, "exit 74");
}

TEST_P(Handed, AReplacedFile) {
  const Line line;
  end(lock_and_give(line));
  const pid_t bystander = receiver(line);
  ASSERT_EQ(ask({"/bin/sh", "-c", "cp \"$0\" \"$0.new\" && mv \"$0.new\" \"$0\"", lock_}).end,
            "exit 0");
  make_shared(lock_);
  forge(bystander, HolderKind::supervised);
  const Line nobody;
  lock_and_give(nobody);
  expect_spared(bystander, "");
}

// The holder adopts what its other descendants leave behind: a privileged process that was there
// before it had the lock.
TEST_P(Handed, AnOrphanBelowTheHolder) {
  const std::string program = privileged();
  stay([&] {
    become(kSomebody);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (fork() == 0) {
      execl(program.c_str(), program.c_str(), "become=0", "daemon", mark("privileged-mark").c_str(),
            "pause", "then", "exit=0", nullptr);
    }
    wait(nullptr);
    lock_byte(open_lock(lock_), F_SETLK, slot_byte(1));
  });
  const pid_t bystander = marked("privileged-mark")[0];
  if (!is_roots(bystander)) GTEST_SKIP() << "no set-user-id";
  expect_spared(bystander, "exit 0");
}

// A child of the bystander that is somebody's locks the slot in the table of descriptors that both
// have.
TEST_P(Handed, WhoSharesItsDescriptors) {
  int ready[2];
  ASSERT_EQ(pipe2(ready, O_CLOEXEC), 0);
  const pid_t bystander = stay([&] {
    share_descriptors([&] {
      if (syscall(SYS_setresuid, kSomebody, kSomebody, kSomebody) != 0) _exit(1);
      lock_byte(open_lock(lock_), F_SETLK, slot_byte(1));
      (void)!write(ready[1], "x", 1);
      for (;;) pause();
    });
    char byte;
    (void)!read(ready[0], &byte, 1);
  });
  close(ready[0]);
  close(ready[1]);
  expect_spared(bystander, "");
}

// A keeper is asked to release in the way that its record names.
TEST_P(Handed, AKeepersRecord) {
  const Line line;
  end(lock_and_give(line));
  const pid_t bystander = receiver(line);
  forge(bystander, HolderKind::keeper, 0, getpid());
  const Answer released =
      ask({under_test("atmost"), "release", "--for-pid", std::to_string(getpid()), lock_});
  EXPECT_EQ(released.end, "exit 77") << released.errors;
  EXPECT_NE(released.errors.find("process " + std::to_string(bystander)), std::string::npos)
      << released.errors;
  EXPECT_EQ(harm_to(bystander), "");
  kill(bystander, SIGKILL);
}

INSTANTIATE_TEST_SUITE_P(InALockOf, Handed, ::testing::Values(Owner::root, Owner::somebody),
                         [](const auto& tested) {
                           return tested.param == Owner::root ? "Root" : "Somebody";
                         });

}  // namespace
}  // namespace witness
