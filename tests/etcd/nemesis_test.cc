// Members of etcd, supervisors and commands are killed and stopped at random; the witness sees no slot used twice.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <list>
#include <random>
#include <thread>

#include "etcd/kit/cluster.h"
#include "etcd/kit/job.h"
#include "etcd/witness.h"

namespace etcd_kit {
namespace {

constexpr std::uint32_t kSlots = 4;

unsigned setting(const char* name, unsigned otherwise) {
  const char* text = getenv(name);
  return text != nullptr ? static_cast<unsigned>(atoi(text)) : otherwise;
}

Use use(std::uint32_t slot, std::uint64_t token, double asked, double begun, double ended) {
  return {slot, token, asked, begun, ended};
}

TEST(Checker, AcceptsWhatCanBeAndRefusesWhatCannot) {
  EXPECT_EQ(contradiction({use(1, 5, 0, 1, 2), use(1, 6, 0, 3, 4), use(2, 7, 2, 3, 9)}, 2), "");
  EXPECT_NE(contradiction({use(1, 5, 0, 1, 4), use(1, 6, 0, 3, 5)}, 2), "") << "two on one slot";
  EXPECT_NE(contradiction({use(1, 6, 0, 1, 2), use(2, 5, 3, 4, 5)}, 2), "")
      << "a later one got the lower token";
  EXPECT_NE(contradiction({use(3, 6, 0, 1, 2)}, 2), "");
  EXPECT_NE(contradiction({use(1, 6, 0, 1, 2), use(2, 6, 0, 1, 2)}, 2), "");
}

class Nemesis {
 public:
  Nemesis(Cluster& cluster, Witness& witness, unsigned seed)
      : cluster_(cluster), witness_(witness), random_(seed) {}

  // Does something bad, and undoes what is due.
  void strike(std::list<Job>& jobs) {
    const double now = seconds_now();
    if (stopped_ != 0 && now >= resume_at_) {
      kill(stopped_, SIGCONT);
      stopped_ = 0;
    }
    if (member_ >= 0 && now >= member_back_at_) bring_back();
    if (now < next_) return;
    next_ = now + 0.2 + static_cast<double>(random_() % 400) / 1000;
    switch (random_() % 6) {
      case 0:
      case 1:
        if (const pid_t pid = any(jobs)) kill(pid, SIGKILL);
        break;
      case 2:
        stop(any(jobs));
        break;
      case 3: {
        const std::vector<pid_t> users = witness_.users();
        if (!users.empty()) stop(users[random_() % users.size()]);
        break;
      }
      default:
        hit_member();
    }
  }
  void calm() {
    if (stopped_ != 0) kill(stopped_, SIGCONT);
    if (member_ >= 0) bring_back();
  }
  unsigned strikes() const { return strikes_; }

 private:
  pid_t any(std::list<Job>& jobs) {
    if (jobs.empty()) return 0;
    ++strikes_;
    return std::next(jobs.begin(), static_cast<long>(random_() % jobs.size()))->pid();
  }
  void stop(pid_t pid) {
    if (pid == 0 || stopped_ != 0) return;
    ++strikes_;
    stopped_ = pid;
    resume_at_ = seconds_now() + 0.2 + static_cast<double>(random_() % 7000) / 1000;
    kill(pid, SIGSTOP);
  }
  // One at a time: the others are a majority.
  void hit_member() {
    if (member_ >= 0) return;
    ++strikes_;
    member_ = static_cast<int>(random_() % cluster_.count());
    killed_ = random_() % 2 == 0;
    member_back_at_ = seconds_now() + 0.5 + static_cast<double>(random_() % 2500) / 1000;
    if (killed_) {
      cluster_.kill(static_cast<unsigned>(member_));
    } else {
      cluster_.signal(static_cast<unsigned>(member_), SIGSTOP);
    }
  }
  void bring_back() {
    if (killed_) {
      cluster_.start(static_cast<unsigned>(member_));
    } else {
      cluster_.signal(static_cast<unsigned>(member_), SIGCONT);
    }
    member_ = -1;
  }

  Cluster& cluster_;
  Witness& witness_;
  std::mt19937 random_;
  double next_ = 0;
  pid_t stopped_ = 0;
  double resume_at_ = 0;
  int member_ = -1;
  bool killed_ = false;
  double member_back_at_ = 0;
  unsigned strikes_ = 0;
};

TEST(Nemesis, NoSlotIsUsedTwice) {
  const unsigned clients = setting("ATMOST_CLIENTS", 12);
  const double span = setting("ATMOST_SECONDS", 20);
  char directory[] = "/tmp/atmost-nemesis-XXXXXX";
  ASSERT_NE(mkdtemp(directory), nullptr);
  const std::string path = std::string(directory) + "/witness";
  const unsigned seed = std::random_device{}();
  std::printf("seed %u\n", seed);
  Cluster cluster;
  Witness witness(path, kSlots);
  Nemesis nemesis(cluster, witness, seed);
  char own[4096] = {};
  ASSERT_GT(readlink("/proc/self/exe", own, sizeof own - 1), 0);
  const auto line = [&] {
    return std::vector<std::string>{"env",
                                    "WITNESS_ASKED=" + std::to_string(seconds_now()),
                                    std::string(getenv("ATMOST_BIN")) + "/atmost",
                                    "run",
                                    "--no-history",
                                    "-q",
                                    "--store",
                                    cluster.url("/n"),
                                    "-n",
                                    "4",
                                    "-w",
                                    "inf",
                                    "--ttl",
                                    "5s",
                                    "--kill-grace",
                                    "500ms",
                                    "lock",
                                    own,
                                    "--use-slot",
                                    path};
  };
  std::list<Job> jobs;
  std::map<int, unsigned> codes;
  const auto reap = [&] {
    for (auto job = jobs.begin(); job != jobs.end();) {
      const int code = job->wait(0);
      if (code >= 0) ++codes[code];
      job = code >= 0 ? jobs.erase(job) : std::next(job);
    }
  };
  const double end = seconds_now() + span;
  while (seconds_now() < end) {
    while (jobs.size() < clients) jobs.emplace_back(line());
    nemesis.strike(jobs);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    reap();
  }
  nemesis.calm();
  const double patience = seconds_now() + 60;
  while (!jobs.empty() && seconds_now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    reap();
  }
  EXPECT_TRUE(jobs.empty()) << jobs.size() << " clients still wait a minute after all was calm";
  jobs.clear();
  witness.finish();
  EXPECT_EQ(witness.overlaps(), 0u);
  EXPECT_EQ(contradiction(witness.history(), kSlots), "");
  EXPECT_GT(witness.begun(), clients);
  std::printf("%u admissions, %u strikes, %u stale tokens refused; exit codes:", witness.begun(),
              nemesis.strikes(), witness.stale());
  for (const auto& [code, count] : codes) {
    std::printf(" %d (%u)", code, count);
    // Ran, could not reach etcd, lost the lock; killed or stopped by us.
    const bool known = code == 0 || code == 69 || code == 79 || code == 128 + SIGKILL;
    EXPECT_TRUE(known) << "exit code " << code;
  }
  std::printf("\n");
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace etcd_kit

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--use-slot") return etcd_kit::use_slot(argv[2]);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
