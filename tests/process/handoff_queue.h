// A queue of real waiters behind one lock, let in one at a time.
#ifndef ATMOST_TESTS_PROCESS_HANDOFF_QUEUE_H
#define ATMOST_TESTS_PROCESS_HANDOFF_QUEUE_H

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "witness_log.h"
#include "witness_world.h"

namespace witness {

struct QueuePlan {
  unsigned limit = 1;
  unsigned waiters = 200;
  unsigned handoffs = 2000;
  unsigned kill_every = 0;  // a random waiter is killed after so many handoffs; 0: never
  Argv options;             // more options of run
  std::uint64_t seed = 1;
};

struct QueueReport {
  std::vector<unsigned> admitted;  // in the order in which the commands began
  std::set<unsigned> killed;
  std::vector<std::int64_t>
      latencies_ns;  // from the end of a holder's command to the begin of the next
  unsigned out_of_order = 0;
  Replay replay;
  std::vector<std::string> troubles;
};

// Waiters start one after another, each only after the one before was seen in the queue (its ticket
// is locked), so the order in which they must be admitted is known from outside. Each stays inside
// until it gets a byte through a pipe.
class Queue {
 public:
  Queue(const QueuePlan& plan, TempDir& directory);
  ~Queue();
  QueueReport run();

 private:
  bool start_next();
  bool await_admissions(std::size_t count, Bound bound);
  void read_log();
  bool fill();
  bool hand_over();
  void kill_a_waiter();
  void drain();
  void judge_order();
  void trouble(const std::string& what) { report_.troubles.push_back(what); }

  const QueuePlan& plan_;
  const std::string lock_;
  World world_;
  Log log_;
  Probe probe_;
  int gate_[2] = {-1, -1};
  std::mt19937_64 random_;
  std::vector<pid_t> pids_;  // by tag
  std::set<unsigned> waiting_;
  std::int64_t last_ticket_ = kTickets - 1;
  std::int64_t last_end_ns_ = 0;
  QueueReport report_;
};

std::string describe(const QueueReport& report);

}  // namespace witness

#endif
