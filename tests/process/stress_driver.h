// Many workers on one lock, a killer among them, and a witness outside.
#ifndef ATMOST_TESTS_PROCESS_STRESS_DRIVER_H
#define ATMOST_TESTS_PROCESS_STRESS_DRIVER_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "witness_log.h"
#include "witness_world.h"

namespace witness {

// The part of one kind of worker. `before` comes in front of the witness and its arguments.
struct Recipe {
  Argv before;
  unsigned weight = 1;
  unsigned limit = 4;
  int refusal = 0;  // exit code that means "no room now"; 0: it waits, so it is never refused
  bool supervisor_may_die =
      true;  // no: its slot ends with it by design, and its command would rightly not count
};

struct Plan {
  std::uint64_t admissions = 3000;
  unsigned workers = 64;
  unsigned limit = 4;  // of all recipes together
  Bound kill_every = Bound(100);
  unsigned work_us = 2000;
  std::uint64_t seed = 1;
  bool end_by_killing =
      false;  // kill all at the end, instead of letting those that wait have their turn
  std::vector<Recipe> recipes;
};

// any_worker is a waiter most of the time; pair: the supervisor first, its command right behind.
enum class Victim { any_worker, supervisor, command, pair };

struct Report {
  Replay replay;
  std::uint64_t kills[4] = {};  // by Victim
  std::uint64_t refusals = 0;
  std::int64_t free_after_ns =
      -1;  // all slots free, counted from the last death; -1: not within the bound
  std::int64_t longest_pause_ns = 0;  // between two admissions
  double seconds = 0;
  std::vector<std::string> troubles;
};

class Stress {
 public:
  Stress(const Plan& plan, const std::string& lock, TempDir& directory);
  Report run();

 private:
  struct Worker {
    pid_t pid = -1;
    std::int64_t start_again_ns = 0;
  };
  void start(std::size_t worker);
  void take_ends();
  void read_log();
  void kill_one();
  void kill(pid_t pid);
  bool may_die(pid_t pid) const;
  bool stuck();
  void finish();
  void trouble(const std::string& what);

  const Plan& plan_;
  const std::string lock_;
  World world_;
  Probe probe_;
  Log log_;
  int errors_ = -1;
  std::string errors_path_;
  std::mt19937_64 random_;
  std::vector<Worker> workers_;
  std::int64_t last_admission_ns_ = 0;
  Report report_;
};

// The sentences of a report, for a failing test and for people.
std::string describe(const Report& report);

}  // namespace witness

#endif
