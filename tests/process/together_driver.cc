#include "together_driver.h"

#include <sys/wait.h>

#include <algorithm>
#include <sstream>
#include <thread>

namespace witness {
namespace {

constexpr std::int64_t kStuckNs = 30'000'000'000;
constexpr int kBusy = 75;

}  // namespace

void Tally::begin(const Record& record) {
  if (condemned_.count(record.pid) != 0) return;
  ++admissions_;
  const Share share(record.tag);
  inside_[record.pid] = share;
  for (unsigned lock = 0; lock < kLocks; ++lock) {
    held_[lock] += share.of(lock);
    most_[lock] = std::max(most_[lock], held_[lock]);
    if (share.of(lock) > 0 && held_[lock] > kRoom[lock] && overlaps_.size() < 20) {
      overlaps_.push_back("lock " + std::to_string(lock) + ": " + std::to_string(held_[lock]) +
                          " of " + std::to_string(kRoom[lock]) + " held when " +
                          std::to_string(record.pid) + " came inside");
    }
  }
}

void Tally::leave(std::int32_t pid) {
  const auto who = inside_.find(pid);
  if (who == inside_.end()) return;
  for (unsigned lock = 0; lock < kLocks; ++lock) held_[lock] -= who->second.of(lock);
  inside_.erase(who);
}

void Tally::feed(const Record& record) {
  switch (record.kind) {
    case '+':
      return begin(record);
    case 'k':
      if (inside_.count(record.pid) != 0) ++killed_inside_;
      condemned_.insert(record.pid);
      return leave(record.pid);
    case 'x':
      condemned_.erase(record.pid);
      return leave(record.pid);
    default:
      return leave(record.pid);
  }
}

std::vector<pid_t> Tally::inside() const {
  std::vector<pid_t> pids;
  for (const auto& [pid, share] : inside_) pids.push_back(pid);
  return pids;
}

Together::Together(const Crowd& crowd, TempDir& directory)
    : crowd_(crowd),
      directory_(directory),
      log_(directory.file("witness.log")),
      random_(crowd.seed) {}

void Together::trouble(const std::string& what) {
  if (told_.troubles.size() < 20) told_.troubles.push_back(what);
}

// One to four of the locks, in any order. Options that concern one lock (-k, --shared, --exclusive)
// concerns the first named.
void Together::start_one() {
  unsigned order[kLocks];
  for (unsigned i = 0; i < kLocks; ++i) order[i] = i;
  std::shuffle(order, order + kLocks, random_);
  const unsigned count = 1 + pick(4);
  Argv argv{under_test("atmost"), "run", "-q", "--no-history"};
  if (pick(8) != 0) argv.insert(argv.end(), {"-w", "inf"});
  if (pick(4) == 0) argv.push_back("--exec");
  Share share;
  for (unsigned i = 1; i < count; ++i) {
    share.add(order[i], 1);
    argv.insert(argv.end(), {"--also", std::to_string(kRoom[order[i]]) + "@" + lock(order[i])});
  }
  if (order[0] == kReaders && pick(2) == 0) {
    share.add_writer();
    argv.push_back("--exclusive");
  } else if (order[0] == kReaders) {
    share.add(kReaders, 1);
    argv.push_back("--shared");
  } else {
    const unsigned slots = order[0] == kSlots ? 1 + pick(3) : 1;
    share.add(order[0], slots);
    argv.insert(argv.end(), {"-n", std::to_string(kRoom[order[0]]), "-k", std::to_string(slots)});
  }
  argv.insert(argv.end(), {lock(order[0]), "--", helper("witness"), log_.path(),
                           "tag=" + std::to_string(share.tag()), "work=2000"});
  running_.insert(world_.start(argv));
  ++told_.started;
}

void Together::take_ends() {
  for (pid_t pid : world_.reap()) {
    if (running_.erase(pid) == 0) continue;  // an orphan whose supervisor was killed
    const int status = *world_.wait(pid);
    const bool refused = WIFEXITED(status) && WEXITSTATUS(status) == kBusy;
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (refused) ++told_.refused;
    if (status != 0 && !refused && !killed) trouble("a caller ended with " + words(status));
  }
}

void Together::read_log() {
  log_.read_new([&](const Record& record) {
    told_.tally.feed(record);
    if (record.kind != '+') return;
    told_.longest_pause_ns = std::max(told_.longest_pause_ns, record.ns - last_admission_ns_);
    last_admission_ns_ = std::max(record.ns, last_admission_ns_);
  });
}

void Together::kill(pid_t pid) {
  log_.mark('k', pid);  // before the signal (witness_record.h)
  world_.signal_descendant(pid, SIGKILL, true);
  log_.mark('x', pid);
}

// Somebody who was started (a waiter most of the time, else a supervisor), a command inside, or it
// and its supervisor.
void Together::kill_one() {
  read_log();
  const std::vector<pid_t> inside = told_.tally.inside();
  const unsigned victim = pick(3);
  if (victim == 0 && !running_.empty()) {
    auto who = running_.begin();
    std::advance(who, pick(static_cast<unsigned>(running_.size())));
    kill(*who);
  } else if (victim != 0 && !inside.empty()) {
    const pid_t command = inside[pick(static_cast<unsigned>(inside.size()))];
    const pid_t supervisor = parent_of(command);
    if (victim == 2 && running_.count(supervisor) != 0) kill(supervisor);
    kill(command);
  } else {
    return;
  }
  ++told_.killed;
}

// The output of `atmost list` about every lock, into the log of the test.
void Together::show_locks() {
  Argv argv{under_test("atmost"), "list", "--json"};
  for (unsigned number = 0; number < kLocks; ++number) argv.push_back(lock(number));
  world_.run(argv);
}

void Together::expect_all_free() {
  for (unsigned number = 0; number < kLocks; ++number) {
    const std::string all = std::to_string(number == kReaders ? 3 : kRoom[number]);
    const int status = world_.run({under_test("atmost"), "run", "-q", "--no-history", "-n", all,
                                   "-k", all, lock(number), "/bin/true"});
    if (status != 0)
      trouble("lock " + std::to_string(number) + " is not free at the end: " + words(status));
  }
}

Told Together::run() {
  const std::int64_t begin = now_ns();
  last_admission_ns_ = begin;
  unsigned next_kill = crowd_.kill_one_in;
  while (told_.started < crowd_.callers || !running_.empty()) {
    take_ends();
    while (running_.size() < crowd_.at_once && told_.started < crowd_.callers) start_one();
    read_log();
    if (told_.started >= next_kill) {
      kill_one();
      next_kill += crowd_.kill_one_in;
    }
    if (now_ns() - last_admission_ns_ > kStuckNs) {
      trouble("no admission for 30 s with " + std::to_string(running_.size()) + " callers waiting");
      show_locks();
      break;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  told_.seconds = static_cast<double>(now_ns() - begin) / 1e9;
  // A command whose supervisor was killed holds its locks until it ends by itself.
  if (!eventually(Bound(20'000), [&] {
        world_.reap();
        return world_.descendants().empty();
      })) {
    trouble("some never ended");
  }
  read_log();
  expect_all_free();
  return told_;
}

std::string describe(const Told& told) {
  std::ostringstream text;
  text << told.started << " callers in " << told.seconds << " s: " << told.tally.admissions()
       << " admitted, " << told.refused << " refused, " << told.killed << " kills ("
       << told.tally.killed_inside() << " died inside), longest pause "
       << static_cast<double>(told.longest_pause_ns) / 1e6 << " ms; most held";
  for (unsigned lock = 0; lock < kLocks; ++lock)
    text << ' ' << told.tally.most(lock) << '/' << kRoom[lock];
  for (const std::string& line : told.tally.overlaps()) text << "\n  overlap: " << line;
  for (const std::string& line : told.troubles) text << "\n  trouble: " << line;
  return text.str();
}

}  // namespace witness
