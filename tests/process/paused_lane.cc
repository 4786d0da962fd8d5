// One lock, over and over: a holder, a waiter that is paused at the moment of the handover, and a
// caller behind it that waits five seconds. Reports the result of each round; the test adds them
// up.
//
//   paused_lane DIRECTORY ROUNDS SEED stop|freeze AIM_US
//
// AIM_US: the time between the order to the holder to leave and the first pause of the waiter, in
// microseconds; negative if the pause comes before. Each round corrects it.
//
// Prints one line: rounds, paused while waiting, held (paused when it held slot or guard already,
// and so resumed), late (had ended), failed, and the longest wait of a caller behind a paused one
// in ms. Complaints go to descriptor 2.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <sstream>
#include <stdexcept>

#include "freezer.h"
#include "witness_world.h"

namespace witness {
namespace {

constexpr Bound kLong{20'000};
constexpr int kMostAimUs = 1500;
constexpr std::int64_t kGuardStart = 0;
constexpr std::int64_t kSlotOne = 8;

// The byte ranges that a process holds for writing through any descriptor, as the kernel shows
// them.
bool holds_for_writing(pid_t pid, std::int64_t first, std::int64_t last) {
  std::error_code error;
  const std::string directory = "/proc/" + std::to_string(pid) + "/fdinfo";
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    std::istringstream lines(read_file(entry.path()));
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("lock:", 0) != 0 || line.find(" WRITE ") == std::string::npos) continue;
      std::istringstream words(line);
      std::string word;
      std::string before;
      std::string start;
      for (; words >> word; before = word) start = before;
      const std::int64_t from = std::atoll(start.c_str());
      const std::int64_t to = before == "EOF" ? INT64_MAX : std::atoll(before.c_str());
      if (from <= last && first <= to) return true;
    }
  }
  return false;
}

class Lane {
 public:
  Lane(const std::string& directory, unsigned seed, bool freezes, int aim_us)
      : lock_(directory + "/lock"),
        freezes_(freezes),
        aim_us_(aim_us),
        random_(seed),
        probe_(lock_) {
    if (freezes_ && !freezer_.works()) throw std::runtime_error("no freezer");
  }

  void round() {
    ++rounds;
    int gate[2];
    if (pipe2(gate, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    Streams streams;
    streams.in = gate[0];
    const pid_t holder = world_.start(run({"-w", "inf"}, {"/bin/cat"}), streams);
    close(gate[0]);
    if (!eventually(kLong,
                    [&] { return probe_.slot_held(1) && !world_.children_of(holder).empty(); }))
      throw std::runtime_error("the holder never began");
    last_ticket_ = kTickets - 1;
    const pid_t victim = queue("inf");
    const pid_t caller = queue("5s");
    if (freezes_ && !freezer_.take(victim)) throw std::runtime_error("cannot move a process");
    const int aim_us =
        std::min(aim_us_ + std::uniform_int_distribution<int>(-100, 100)(random_), kMostAimUs);
    if (aim_us < 0) pause(victim);  // on a loaded machine we would come too late
    close(gate[1]);
    if (aim_us > 0) usleep(static_cast<useconds_t>(aim_us));
    if (aim_us >= 0) pause(victim);
    judge(victim, caller);
    resume(victim);
    world_.signal_descendant(victim, SIGKILL, true);
    world_.wait(holder, kLong);
  }

  unsigned rounds = 0;
  unsigned paused = 0;
  unsigned held = 0;
  unsigned late = 0;
  unsigned failed = 0;
  std::int64_t longest_ns = 0;

 private:
  Argv run(const Argv& options, const Argv& command) const {
    Argv argv{under_test("atmost"), "run", "-q", "--no-history"};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(), {lock_, "--"});
    argv.insert(argv.end(), command.begin(), command.end());
    return argv;
  }

  pid_t queue(const std::string& wait) {
    const pid_t pid = world_.start(run({"-w", wait}, {"/bin/true"}));
    const bool queued = eventually(kLong, [&] {
      const auto ticket = probe_.first_locked(last_ticket_ + 1, 0);
      if (ticket) last_ticket_ = *ticket;
      return ticket.has_value();
    });
    if (!queued) throw std::runtime_error("never queued");
    return pid;
  }

  void pause(pid_t pid) {
    const bool done = freezes_ ? freezer_.freeze() : world_.signal_descendant(pid, SIGSTOP);
    // A caller that was admitted and is starting its command may take long to freeze: it is resumed
    // anyway.
    eventually(kLong, [&] {
      return !done || world_.ended(pid) || (freezes_ ? freezer_.frozen() : state_of(pid) == 'T') ||
             holds_for_writing(pid, kSlotOne, kSlotOne);
    });
  }

  void resume(pid_t pid) {
    if (freezes_) {
      freezer_.thaw();
    } else {
      world_.signal_descendant(pid, SIGCONT);
    }
  }

  void judge(pid_t victim, pid_t caller) {
    const std::int64_t begin = now_ns();
    bool behind = false;
    if (world_.ended(victim)) {
      ++late;
      aim_us_ -= 100;
    } else if (holds_for_writing(victim, kGuardStart, kSlotOne)) {
      ++held;
      aim_us_ -= 50;
      resume(victim);
    } else {
      ++paused;
      aim_us_ += 50;
      behind = true;
    }
    const std::optional<int> status = world_.wait(caller, kLong);
    if (behind) longest_ns = std::max(longest_ns, now_ns() - begin);
    if (!status || words(*status) != "exit 0") {
      complain("a caller that waits 5 s: " + (status ? words(*status) : "did not end"));
      if (!status) world_.signal_descendant(caller, SIGKILL, true);
      return;
    }
    if (behind && rounds % 4 == 0) expect_nobody_inside();
  }

  // The slot is free, whoever is paused in the queue.
  void expect_nobody_inside() {
    int answer[2];
    if (pipe2(answer, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    Streams streams;
    streams.out = answer[1];
    world_.run({under_test("atmost"), "check", lock_}, streams);
    close(answer[1]);
    char text[16] = {};
    const ssize_t size = read(answer[0], text, sizeof text - 1);
    close(answer[0]);
    if (size < 1 || text[0] != '0') complain(std::string("check says ") + text);
    const std::string end = words(world_.run(run({"--expire-after", "0"}, {"/bin/true"})));
    if (end != "exit 0") complain("--expire-after 0: " + end);
  }

  void complain(const std::string& what) {
    ++failed;
    std::cerr << "round " << rounds << ": " << what << '\n';
  }

  const std::string lock_;
  const bool freezes_;
  int aim_us_;  // after the order to the holder to leave: drawn towards the handover
  std::mt19937 random_;
  World world_;
  Freezer freezer_;
  Probe probe_;
  std::int64_t last_ticket_ = 0;
};

}  // namespace
}  // namespace witness

int main(int argc, char** argv) {
  if (argc != 6) return 64;
  try {
    witness::Lane lane(argv[1], static_cast<unsigned>(std::atoi(argv[3])),
                       std::string(argv[4]) == "freeze", std::atoi(argv[5]));
    for (int round = 0; round < std::atoi(argv[2]); ++round) lane.round();
    std::cout << lane.rounds << ' ' << lane.paused << ' ' << lane.held << ' ' << lane.late << ' '
              << lane.failed << ' ' << lane.longest_ns / 1'000'000 << '\n';
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 70;
  }
}
