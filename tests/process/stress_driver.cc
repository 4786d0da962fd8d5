#include "stress_driver.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <sstream>
#include <thread>

namespace witness {
namespace {

constexpr std::int64_t kStuckNs = 30'000'000'000;
constexpr std::int64_t kRetryNs =
    20'000'000;  // after a refusal, so that those who do not wait do not spin

}  // namespace

Stress::Stress(const Plan& plan, const std::string& lock, TempDir& directory)
    : plan_(plan),
      lock_(lock),
      probe_(lock),
      log_(directory.file("witness.log")),
      errors_path_(directory.file("errors")),
      random_(plan.seed),
      workers_(plan.workers) {
  errors_ = open(errors_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

void Stress::trouble(const std::string& what) {
  if (report_.troubles.size() < 20) report_.troubles.push_back(what);
}

void Stress::start(std::size_t worker) {
  const Recipe& recipe = plan_.recipes[worker % plan_.recipes.size()];
  Argv argv = recipe.before;
  for (const std::string& arg :
       {helper("witness"), log_.path(), "weight=" + std::to_string(recipe.weight),
        "limit=" + std::to_string(recipe.limit), "work=" + std::to_string(plan_.work_us)}) {
    argv.push_back(arg);
  }
  Streams streams;
  streams.err = errors_;
  workers_[worker].pid = world_.start(argv, streams);
}

void Stress::take_ends() {
  for (pid_t pid : world_.reap()) {
    const auto worker = std::find_if(workers_.begin(), workers_.end(),
                                     [&](const Worker& w) { return w.pid == pid; });
    if (worker == workers_.end()) continue;  // an orphan whose supervisor was killed
    const auto index = static_cast<std::size_t>(worker - workers_.begin());
    const Recipe& recipe = plan_.recipes[index % plan_.recipes.size()];
    const int status = *world_.wait(pid);
    const bool refused =
        WIFEXITED(status) && recipe.refusal != 0 && WEXITSTATUS(status) == recipe.refusal;
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (refused) ++report_.refusals;
    if (status != 0 && !refused && !killed)
      trouble("worker " + std::to_string(index) + " ended with " + words(status));
    *worker = {-1, refused ? now_ns() + kRetryNs : 0};
  }
}

void Stress::read_log() {
  log_.read_new([&](const Record& record) {
    report_.replay.feed(record);
    if (record.kind != '+') return;
    if (last_admission_ns_ != 0) {
      report_.longest_pause_ns = std::max(report_.longest_pause_ns, record.ns - last_admission_ns_);
    }
    last_admission_ns_ = std::max(record.ns, last_admission_ns_);
  });
}

// The mark comes before the signal (witness_record.h has the reason), and the other mark once it is
// dead.
void Stress::kill(pid_t pid) {
  log_.mark('k', pid);
  world_.signal_descendant(pid, SIGKILL, true);
  log_.mark('x', pid);
}

bool Stress::may_die(pid_t pid) const {
  const auto worker =
      std::find_if(workers_.begin(), workers_.end(), [&](const Worker& w) { return w.pid == pid; });
  if (worker == workers_.end()) return false;
  const auto index = static_cast<std::size_t>(worker - workers_.begin());
  return plan_.recipes[index % plan_.recipes.size()].supervisor_may_die;
}

// Those inside are known from the log, a moment ago: a look through /proc takes longer than most
// commands run.
void Stress::kill_one() {
  read_log();
  const auto victim = static_cast<Victim>(std::uniform_int_distribution<int>(0, 3)(random_));
  if (victim == Victim::any_worker) {
    const pid_t pid =
        workers_[std::uniform_int_distribution<std::size_t>(0, workers_.size() - 1)(random_)].pid;
    if (pid < 0 || !may_die(pid)) return;
    kill(pid);
  } else {
    const std::vector<pid_t> inside = report_.replay.pids_inside();
    if (inside.empty()) return;
    const pid_t command =
        inside[std::uniform_int_distribution<std::size_t>(0, inside.size() - 1)(random_)];
    const pid_t supervisor = parent_of(command);
    const bool supervised = may_die(supervisor);
    if (victim != Victim::command && !supervised) return;
    if (victim != Victim::command) kill(supervisor);
    if (victim != Victim::supervisor) kill(command);
  }
  ++report_.kills[static_cast<int>(victim)];
}

bool Stress::stuck() {
  if (now_ns() - last_admission_ns_ < kStuckNs) return false;
  trouble("no admission for 30 s; slots held: " + std::to_string(probe_.slots_held(plan_.limit)) +
          " of " + std::to_string(plan_.limit));
  return true;
}

void Stress::finish() {
  if (plan_.end_by_killing) {
    read_log();  // and nothing after it: these deaths are not marked, and a waiter may rightly come
                 // inside
    world_.kill_all();
  } else {
    const bool ended = eventually(Bound(60'000), [&] {
      read_log();
      take_ends();
      return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
    });
    if (!ended) trouble("the last waiters never had their turn");
    read_log();
    world_.kill_all();
  }
  const std::int64_t end = now_ns();
  if (eventually(Bound(50), [&] { return probe_.slots_held(plan_.limit) == 0; })) {
    report_.free_after_ns = now_ns() - end;
  }
}

Report Stress::run() {
  const std::int64_t begin = now_ns();
  std::int64_t next_kill = begin + plan_.kill_every.count() * 1'000'000;
  last_admission_ns_ = begin;
  while (report_.replay.admissions() < plan_.admissions && !stuck()) {
    take_ends();
    const std::int64_t now = now_ns();
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (workers_[i].pid < 0 && workers_[i].start_again_ns <= now) start(i);
    }
    read_log();
    if (plan_.kill_every.count() > 0 && now >= next_kill) {
      kill_one();
      next_kill += plan_.kill_every.count() * 1'000'000;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
  report_.seconds = static_cast<double>(now_ns() - begin) / 1e9;
  finish();
  const std::string said = read_file(errors_path_);
  if (!said.empty() && !report_.troubles.empty())
    trouble("standard error:\n" + said.substr(0, 2000));
  return report_;
}

std::string describe(const Report& report) {
  std::ostringstream text;
  text << report.replay.admissions() << " admissions in " << report.seconds << " s, most inside "
       << report.replay.most_inside() << ", killed " << report.kills[0] << " workers, "
       << report.kills[1] << " supervisors, " << report.kills[2] << " commands, " << report.kills[3]
       << " pairs (" << report.replay.killed_inside() << " died inside), refused "
       << report.refusals << ", longest pause "
       << static_cast<double>(report.longest_pause_ns) / 1e6 << " ms, slots free after "
       << static_cast<double>(report.free_after_ns) / 1e6 << " ms";
  for (const std::string& line : report.replay.contradictions())
    text << "\n  contradiction: " << line;
  for (const std::string& line : report.troubles) text << "\n  trouble: " << line;
  return text.str();
}

}  // namespace witness
