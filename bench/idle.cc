// The cost of waiting, and the memory of a supervisor.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "bench.h"

namespace bench {
namespace {

// Time on a processor so far, in ns: the first figure of schedstat, exact where utime and stime
// count ticks.
std::int64_t cpu_ns(pid_t pid) {
  return std::atoll(witness::read_file("/proc/" + std::to_string(pid) + "/schedstat").c_str());
}

std::int64_t cpu_ns(const std::vector<pid_t>& pids) {
  std::int64_t sum = 0;
  for (pid_t pid : pids) sum += cpu_ns(pid);
  return sum;
}

// A field of smaps_rollup, in KiB.
std::int64_t memory_kib(pid_t pid, const std::string& field) {
  std::istringstream lines(witness::read_file("/proc/" + std::to_string(pid) + "/smaps_rollup"));
  std::int64_t sum = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(field, 0) == 0) sum += std::atoll(line.c_str() + line.find(':') + 1);
  }
  return sum;
}

// A process that holds the lock until the pipe's other end is closed; returns when it holds.
class Holder {
 public:
  Holder(witness::World& world, Argv before) {
    if (pipe2(stay_, O_CLOEXEC) != 0 || pipe2(ready_, O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    before.push_back(witness::helper("bench_hold"));
    pid_ = world.start(before, {stay_[0], ready_[1], -1});
    char byte = 0;
    if (read(ready_[0], &byte, 1) != 1) throw std::runtime_error("no holder");
  }
  ~Holder() {
    for (int fd : {stay_[0], stay_[1], ready_[0], ready_[1]}) close(fd);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  pid_t pid() const { return pid_; }

 private:
  int stay_[2] = {-1, -1};
  int ready_[2] = {-1, -1};
  pid_t pid_ = -1;
};

struct Idle {
  std::int64_t queued_ns = 0;   // from the start of the first to the last being asleep
  std::int64_t waiting_ns = 0;  // processor time while waiting
};

Idle idle_cost(const Argv& holder_before, const Argv& waiter_before, unsigned waiters,
               int seconds) {
  witness::World world;
  const Holder holder(world, holder_before);
  Argv argv = waiter_before;
  argv.push_back(witness::helper("bench_true"));
  std::vector<pid_t> pids;
  const std::int64_t begin = witness::now_ns();
  for (unsigned i = 0; i < waiters; ++i) pids.push_back(world.start(argv));
  const auto all_asleep = [&] {
    for (pid_t pid : pids) {
      if (witness::state_of(pid) != 'S') return false;
    }
    return true;
  };
  Idle idle;
  if (!witness::eventually(witness::Bound(60'000), all_asleep))
    throw std::runtime_error("the waiters never slept");
  idle.queued_ns = witness::now_ns() - begin;
  // A process that is asleep once may be waiting for the guard: it counts as queued after some time
  // without running.
  std::int64_t before = 0;
  for (int look = 0; look < 50; ++look) {
    before = cpu_ns(pids);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (cpu_ns(pids) - before < 10'000'000) break;
  }
  before = cpu_ns(pids);
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  idle.waiting_ns = cpu_ns(pids) - before;
  return idle;
}

}  // namespace

void measure_idle(const Options& options, Book& book) {
  const unsigned waiters = options.quick ? 200 : 1000;
  const int seconds = options.quick ? 3 : 10;
  Table table{grouped(waiters) + " waiters for " + std::to_string(seconds) + " s",
              "processor time of all waiters together after they queued (/proc/PID/schedstat)",
              {"", "cpu ms"},
              {}};
  const std::string lock = options.lock("idle");
  const Argv run{options.program("atmost"), "run", "-w", "inf", lock, "--"};
  const Idle ours = idle_cost(run, run, waiters, seconds);
  table.rows.push_back({"atmost run", millis(ours.waiting_ns)});
  if (const std::string flock = find_program("flock"); !flock.empty()) {
    const Argv other{flock, options.lock("idle-flock")};
    table.rows.push_back({"flock", millis(idle_cost(other, other, waiters, seconds).waiting_ns)});
  }
  book.tables.push_back(table);
  if (!options.quick) {
    book.goals.push_back({table.title + ": processor time of all together", "≤ 20 ms",
                          millis(ours.waiting_ns) + " ms", ours.waiting_ns <= 20'000'000});
  }
}

void measure_memory(const Options& options, Book& book) {
  Table table{
      "Memory of one holder's wrapper while its command runs",
      "/proc/PID/smaps_rollup, a second after the start; private: what one more of them costs",
      {"", "resident KiB", "proportional KiB", "private KiB"},
      {}};
  const auto weigh = [&](const std::string& name, const Argv& before) {
    witness::World world;
    const Holder holder(world, before);
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const std::int64_t resident = memory_kib(holder.pid(), "Rss:");
    table.rows.push_back({name, grouped(resident), grouped(memory_kib(holder.pid(), "Pss:")),
                          grouped(memory_kib(holder.pid(), "Private_"))});
    return resident;
  };
  const std::int64_t ours =
      weigh("atmost run", {options.program("atmost"), "run", options.lock("memory"), "--"});
  if (const std::string flock = find_program("flock"); !flock.empty()) {
    weigh("flock", {flock, options.lock("memory-flock")});
  }
  book.tables.push_back(table);
  book.goals.push_back(
      {"memory of a supervisor, resident", "≤ 250 KiB", grouped(ours) + " KiB", ours <= 250});
}

}  // namespace bench
