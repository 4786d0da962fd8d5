// Contenders for one symlink lock, a killer among them, and a witness outside.
#ifndef ATMOST_TESTS_PROCESS_SYMLINK_STRESS_H
#define ATMOST_TESTS_PROCESS_SYMLINK_STRESS_H

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <vector>

#include "witness_log.h"
#include "witness_world.h"

namespace witness {

struct SymlinkPlan {
  unsigned ours = 50;
  unsigned old = 0;
  unsigned kills = 50;  // of one inside, supervisor and command (with kills 0: until `turns`)
  unsigned turns = 0;   // of either kind that takes part
  bool alone = true;    // nobody is inside beside anybody; else only: never two of ours
};

class SymlinkStress : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kOurs = 1;
  static constexpr std::uint32_t kOld = 2;

  void expect_it_holds(const SymlinkPlan& plan) {
    std::vector<Worker> workers(plan.ours + plan.old);
    for (std::size_t i = 0; i < workers.size(); ++i) workers[i].tag = i < plan.ours ? kOurs : kOld;
    last_news_ns_ = now_ns();
    while (!enough(plan) && !::testing::Test::HasFailure()) {
      for (Worker& worker : workers) {
        if (worker.pid < 0 || world_.ended(worker.pid)) start(worker);
      }
      read();
      if (killed_ < plan.kills) kill_one();
      world_.reap();
      ASSERT_LT(now_ns() - last_news_ns_, 60'000'000'000) << "nobody gets in any more: " << names();
    }
    std::cout << ours_.admissions() << " of ours and " << old_.admissions()
              << " old ones were inside, " << killed_ << " killed there; most at once "
              << all_.most_inside() << ", of ours " << ours_.most_inside() << '\n';
    world_.kill_all();
    EXPECT_EQ(ours_.most_inside(), 1u);
    if (plan.alone) {
      EXPECT_EQ(all_.most_inside(), 1u);
    }
    expect_nothing_is_left();
  }

 private:
  struct Worker {
    pid_t pid = -1;
    std::uint32_t tag = 0;
  };

  static bool enough(unsigned wanted, const Replay& replay) {
    return replay.admissions() >= wanted;
  }
  bool enough(const SymlinkPlan& plan) const {
    return killed_ >= plan.kills && (plan.ours == 0 || enough(plan.turns, ours_)) &&
           (plan.old == 0 || enough(plan.turns, old_));
  }

  void start(Worker& worker) {
    const Argv command = {helper("witness"), log_.path(), "tag=" + std::to_string(worker.tag),
                          "work=4000"};
    Argv argv = {under_test("atmost"),
                 "run",
                 "--store",
                 "symlink:",
                 "--no-history",
                 "-w",
                 "inf",
                 lock_,
                 "--"};
    if (worker.tag == kOld) argv = {"/bin/sh", ATMOST_OLD_SCRIPT, lock_, "100000", "99999999"};
    argv.insert(argv.end(), command.begin(), command.end());
    worker.pid = world_.start(argv);
  }

  void read() {
    log_.read_new([&](const Record& record) {
      last_news_ns_ = now_ns();
      all_.feed(record);
      const bool mine = record.kind == '+' ? record.tag == kOurs : owner_[record.pid] == kOurs;
      if (record.kind == '+') owner_[record.pid] = record.tag;
      (mine ? ours_ : old_).feed(record);
    });
  }

  // The command does not count from its mark on: the link is anybody's once its holder is dead.
  void kill_one() {
    for (pid_t command : all_.pids_inside()) {
      const pid_t holder = parent_of(command);
      if (holder <= 1 || holder == getpid()) continue;
      log_.mark('k', command);
      world_.signal_descendant(holder, SIGKILL, true);
      world_.signal_descendant(command, SIGKILL, true);
      log_.mark('x', command);
      ++killed_;
      return;
    }
  }

  std::string names() const {
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path()))
      all += entry.path().string() + "\n";
    return all;
  }

  // The next caller gets in and cleans up.
  void expect_nothing_is_left() {
    EXPECT_EQ(words(world_.run({under_test("atmost"), "run", "--store", "symlink:", "--no-history",
                                lock_, "true"})),
              "exit 0");
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      EXPECT_FALSE(entry.is_symlink()) << entry.path();
    }
  }

  TempDir directory_;
  const std::string lock_ = directory_.file("lock");
  World world_;
  Log log_{directory_.file("witness.log")};
  Replay all_;
  Replay ours_;
  Replay old_;
  std::map<std::int32_t, std::uint32_t> owner_;
  unsigned killed_ = 0;
  std::int64_t last_news_ns_ = 0;
};

// The original takes a link for the one it read by its inode number. Filesystems on disks give a
// number to the next file as soon as it is free; tmpfs counts up. So what the original can do at
// all, it can do there.
class WithoutReusedNumbers {
 protected:
  WithoutReusedNumbers() {
    const char* before = std::getenv("TMPDIR");
    if (before != nullptr) before_ = before;
    if (possible()) setenv("TMPDIR", "/dev/shm", 1);
  }
  ~WithoutReusedNumbers() {
    unsetenv("TMPDIR");
    if (!before_.empty()) setenv("TMPDIR", before_.c_str(), 1);
  }
  static bool possible() {
    constexpr long kTmpfs = 0x01021994;  // linux/magic.h
    struct statfs about;
    return statfs("/dev/shm", &about) == 0 && static_cast<long>(about.f_type) == kTmpfs &&
           access("/dev/shm", W_OK) == 0;
  }

 private:
  std::string before_;
};

class SymlinkStressWithoutReusedNumbers : WithoutReusedNumbers, public SymlinkStress {
 protected:
  void SetUp() override {
    if (!possible()) GTEST_SKIP() << "/dev/shm is no tmpfs";
  }
};

}  // namespace witness

#endif
