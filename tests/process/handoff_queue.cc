#include "handoff_queue.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace witness {
namespace {

constexpr Bound kLong{20'000};

double ms(std::int64_t ns) { return static_cast<double>(ns) / 1e6; }

}  // namespace

Queue::Queue(const QueuePlan& plan, TempDir& directory)
    : plan_(plan),
      lock_(directory.file("lock")),
      log_(directory.file("witness.log")),
      probe_(lock_),
      random_(plan.seed) {
  if (pipe2(gate_, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
}

Queue::~Queue() {
  close(gate_[0]);
  if (gate_[1] >= 0) close(gate_[1]);
}

void Queue::read_log() {
  log_.read_new([&](const Record& record) {
    report_.replay.feed(record);
    if (record.kind == '-') last_end_ns_ = record.ns;
    if (record.kind != '+') return;
    report_.admitted.push_back(record.tag);
    waiting_.erase(record.tag);
    if (last_end_ns_ != 0) report_.latencies_ns.push_back(record.ns - last_end_ns_);
  });
}

bool Queue::await_admissions(std::size_t count, Bound bound) {
  return eventually(bound, [&] {
    read_log();
    return report_.admitted.size() >= count;
  });
}

// Returns when the new one is inside (as long as there is room) or seen in the queue.
bool Queue::start_next() {
  const std::size_t tag = pids_.size();
  Argv argv{under_test("atmost"), "run", "-n", std::to_string(plan_.limit), "-w", "inf"};
  argv.insert(argv.end(), plan_.options.begin(), plan_.options.end());
  argv.insert(argv.end(),
              {lock_, "--", helper("witness"), log_.path(), "tag=" + std::to_string(tag),
               "limit=" + std::to_string(plan_.limit), "gate"});
  Streams streams;
  streams.in = gate_[0];
  pids_.push_back(world_.start(argv, streams));
  if (tag < plan_.limit) return await_admissions(tag + 1, kLong);
  std::optional<std::int64_t> ticket;
  const bool queued = eventually(kLong, [&] {
    ticket = probe_.first_locked(last_ticket_ + 1, 0);
    return ticket.has_value();
  });
  if (!queued) {
    trouble("waiter " + std::to_string(tag) + " was never seen in the queue");
    return false;
  }
  last_ticket_ = *ticket;
  waiting_.insert(static_cast<unsigned>(tag));
  return true;
}

bool Queue::fill() {
  while (pids_.size() < report_.admitted.size() + report_.killed.size() + plan_.waiters) {
    if (!start_next()) return false;
  }
  return true;
}

bool Queue::hand_over() {
  const std::size_t before = report_.admitted.size();
  if (write(gate_[1], "g", 1) != 1) return false;
  if (await_admissions(before + 1, kLong)) return true;
  trouble("nobody came in after admission " + std::to_string(before) +
          "; slots held: " + std::to_string(probe_.slots_held(plan_.limit)));
  return false;
}

// Somebody in the queue; the head is as good as any other.
void Queue::kill_a_waiter() {
  if (waiting_.empty()) return;
  const auto steps = std::uniform_int_distribution<std::size_t>(0, waiting_.size() - 1)(random_);
  const unsigned tag = *std::next(waiting_.begin(), static_cast<std::ptrdiff_t>(steps));
  waiting_.erase(tag);
  report_.killed.insert(tag);
  world_.signal_descendant(pids_[tag], SIGKILL, true);
}

// Everybody left goes through as fast as they can.
void Queue::drain() {
  close(gate_[1]);
  gate_[1] = -1;
  const bool ended = eventually(Bound(60'000), [&] {
    read_log();
    world_.reap();
    return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
  });
  if (!ended) {
    trouble("some never had their turn: " + std::to_string(report_.admitted.size()) +
            " admitted, " + std::to_string(report_.killed.size()) + " killed, " +
            std::to_string(pids_.size()) + " started");
  }
  read_log();
}

// Among those that live, nobody may begin before more than N - 1 of those who queued earlier.
void Queue::judge_order() {
  std::set<unsigned> missing;
  for (unsigned tag = 0; tag < pids_.size(); ++tag) missing.insert(tag);
  for (unsigned tag : report_.killed) missing.erase(tag);
  for (unsigned tag : report_.admitted) {
    const auto earlier =
        static_cast<unsigned>(std::distance(missing.begin(), missing.lower_bound(tag)));
    if (earlier > plan_.limit - 1) ++report_.out_of_order;
    missing.erase(tag);
  }
  if (!missing.empty()) trouble(std::to_string(missing.size()) + " waiters were never admitted");
}

QueueReport Queue::run() {
  bool well = true;
  for (unsigned done = 0; well && done < plan_.handoffs; ++done) {
    well = fill();
    if (well && plan_.kill_every != 0 && done % plan_.kill_every == 0) kill_a_waiter();
    well = well && hand_over();
  }
  if (well) drain();
  for (unsigned tag = 0; well && tag < pids_.size(); ++tag) {
    const std::optional<int> status = world_.wait(pids_[tag], Bound(0));
    if (status && *status != 0 && report_.killed.count(tag) == 0) {
      trouble("waiter " + std::to_string(tag) + " ended with " + words(*status));
    }
  }
  judge_order();
  return report_;
}

std::string describe(const QueueReport& report) {
  std::ostringstream text;
  std::vector<std::int64_t> sorted = report.latencies_ns;
  std::sort(sorted.begin(), sorted.end());
  text << report.admitted.size() << " admissions, " << report.killed.size() << " killed, "
       << report.out_of_order << " out of order, most inside " << report.replay.most_inside();
  if (!sorted.empty()) {
    text << ", handoff median " << ms(sorted[sorted.size() / 2]) << " ms, p99.9 "
         << ms(sorted[sorted.size() - 1 - sorted.size() / 1000]) << " ms, worst "
         << ms(sorted.back()) << " ms";
  }
  for (const std::string& line : report.replay.contradictions())
    text << "\n  contradiction: " << line;
  for (const std::string& line : report.troubles) text << "\n  trouble: " << line;
  return text.str();
}

}  // namespace witness
