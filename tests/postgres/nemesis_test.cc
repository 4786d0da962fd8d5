// Callers, their hosts and the server die, stand still and come back at random, while a resource outside watches tokens:
// it never meets a token older than one it has seen, but from a host that stood still; and never more than N at a time.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <sstream>

#include "kit/cluster.h"
#include "kit/program.h"

namespace postgres_kit {
namespace {

#ifdef ATMOST_TESTS_ALL
constexpr double kSeconds = 240;
#else
constexpr double kSeconds = 10;
#endif
constexpr std::size_t kCallers = 8;
constexpr double kTtl = 3;

struct Visit {
  std::string word;
  unsigned long long token = 0;
  pid_t group = 0;
  long long ns = 0;
};

std::vector<Visit> visits(const std::string& log) {
  std::istringstream text(contents(log));
  std::vector<Visit> all;
  for (Visit one; text >> one.word >> one.token >> one.group >> one.ns;) all.push_back(one);
  return all;
}

class Nemesis {
 public:
  explicit Nemesis(unsigned seed) : random_(seed) {
    char name[] = "/tmp/atmost-nemesis-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    directory_ = name;
    setenv("ATMOST_DIR", name, 1);
  }
  ~Nemesis() {
    callers_.clear();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }

  void run(double seconds) {
    const double end = seconds_now() + seconds;
    double next = seconds_now() + 0.5;
    while (seconds_now() < end) {
      tend();
      if (seconds_now() >= next) {
        next = seconds_now() + 0.2 + pick(6) * 0.1;
        strike();
      }
      usleep(5000);
    }
    for (auto& [when, caller] : asleep_) caller->signal_group(SIGCONT);
    signal_server(SIGCONT);
    const double patience = seconds_now() + 30;
    while (!callers_.empty() && seconds_now() < patience) {
      for (auto at = callers_.begin(); at != callers_.end();) at = ended(**at) ? callers_.erase(at) : at + 1;
      usleep(5000);
    }
    EXPECT_TRUE(callers_.empty()) << "callers that do not end";
  }

  std::string log(int slots) const { return directory_ + "/log" + std::to_string(slots); }
  const std::set<pid_t>& slept() const { return slept_; }
  std::string words() const { return contents(directory_ + "/words"); }  // of all callers
  std::string tally() const {
    std::string words;
    for (const auto& [what, count] : tally_) words += what + " " + std::to_string(count) + ", ";
    return words;
  }

 private:
  unsigned pick(unsigned below) { return random_() % below; }

  // Two locks: one holder at a time, and three.
  void start() {
    const unsigned times = pick(6) == 0 ? 400 : 5 + pick(40);  // some need renewals
    const std::string slots = pick(2) == 0 ? "1" : "3";
    callers_.push_back(std::make_shared<Program>(
        Argv{atmost(), "run", "-q", "--store", cluster_.url(), "-n", slots, "-w", "6s", "--ttl", "3s",
             "--kill-grace", "100ms", "lock" + slots, "--", beside("fenced"),
             directory_ + "/resource" + slots, directory_ + "/log" + slots, std::to_string(times)},
        directory_ + "/words"));
    ++tally_["callers"];
  }

  bool ended(Program& caller) {
    const std::optional<int> code = caller.wait(0);
    if (!code) return false;
    const bool known = *code == 0 || *code == 69 || *code == 75 || *code == 79 || *code == 128 + SIGKILL;
    EXPECT_TRUE(known) << "exit code " << *code << ": " << contents(directory_ + "/words");
    ++tally_["code " + std::to_string(*code)];
    return true;
  }

  void tend() {
    for (auto at = asleep_.begin(); at != asleep_.end() && at->first <= seconds_now();) {
      at->second->signal_group(SIGCONT);
      at = asleep_.erase(at);
    }
    if (server_wakes_ != 0 && seconds_now() >= server_wakes_) {
      server_wakes_ = 0;
      signal_server(SIGCONT);
    }
    for (auto at = callers_.begin(); at != callers_.end();) at = ended(**at) ? callers_.erase(at) : at + 1;
    while (callers_.size() < kCallers) start();
  }

  // One of those that hold a lock, mostly; else one that waits.
  std::shared_ptr<Program> victim() {
    std::set<pid_t> holders;
    for (int slots : {1, 3}) {
      for (const Visit& one : visits(log(slots))) {
        if (one.word == "end") {
          holders.erase(one.group);
        } else {
          holders.insert(one.group);
        }
      }
    }
    std::vector<std::shared_ptr<Program>> choice;
    for (const std::shared_ptr<Program>& each : callers_) {
      if (holders.contains(each->pid())) choice.push_back(each);
    }
    if (choice.empty() || pick(4) == 0) choice = callers_;
    return choice[pick(static_cast<unsigned>(choice.size()))];
  }

  void strike() {
    const std::shared_ptr<Program> caller = victim();
    switch (pick(10)) {
      case 0:
      case 1:
      case 2:
        ++tally_["hosts that died"];
        caller->signal_group(SIGKILL);
        break;
      case 3:
      case 4:
      case 5:
        // Longer than the lease, or shorter.
        ++tally_["hosts that slept"];
        slept_.insert(caller->pid());
        caller->signal_group(SIGSTOP);
        asleep_.emplace(seconds_now() + (pick(2) == 0 ? 0.5 : kTtl + 1.5), caller);
        break;
      case 6:
      case 7:
        if (server_wakes_ != 0) break;
        ++tally_["sessions ended"];
        end_session();
        break;
      case 8:
        if (server_wakes_ != 0) break;
        ++tally_["server stopped"];
        signal_server(SIGSTOP);
        server_wakes_ = seconds_now() + 0.2 + pick(10) * 0.1;
        break;
      default:
        if (server_wakes_ != 0) break;
        ++tally_["server restarted"];
        cluster_.stop();
        cluster_.start();
        break;
    }
  }

  void end_session() {
    PGconn* connection = PQconnectdb(cluster_.url().c_str());
    PQclear(PQexec(
        connection,
        "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity WHERE application_name = "
        "'atmost' ORDER BY random() LIMIT 1) one"));
    PQfinish(connection);
  }

  void signal_server(int signal) const {
    for (pid_t pid : cluster_.processes()) kill(pid, signal);
  }

  Cluster cluster_;
  std::mt19937 random_;
  std::string directory_;
  std::vector<std::shared_ptr<Program>> callers_;
  std::multimap<double, std::shared_ptr<Program>> asleep_;
  std::set<pid_t> slept_;
  double server_wakes_ = 0;
  std::map<std::string, int> tally_;
};

void expect_at_most(unsigned slots, const std::vector<Visit>& all, const std::set<pid_t>& slept) {
  std::map<unsigned long long, long long> last;
  for (const Visit& one : all) last[one.token] = one.ns;
  std::set<unsigned long long> running;
  for (const Visit& one : all) {
    if (one.word != "begin" || slept.contains(one.group)) continue;
    std::erase_if(running, [&](unsigned long long token) { return last[token] <= one.ns; });
    running.insert(one.token);
    EXPECT_LE(running.size(), slots) << "at " << one.ns;
  }
}

TEST(NemesisOf, LocksInPostgres) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Nemesis nemesis(seed);
  nemesis.run(kSeconds);
  std::size_t runs = 0;
  std::size_t stale = 0;
  for (unsigned slots : {1u, 3u}) {
    const std::vector<Visit> all = visits(nemesis.log(static_cast<int>(slots)));
    for (const Visit& one : all) {
      runs += one.word == "begin" ? 1 : 0;
      if (slots != 1 || one.word != "stale") continue;
      ++stale;
      EXPECT_TRUE(nemesis.slept().contains(one.group)) << "token " << one.token << " came late at " << one.ns;
    }
    expect_at_most(slots, all, nemesis.slept());
  }
  if (HasFailure() || std::getenv("ATMOST_TESTS_TELL") != nullptr) std::printf("%s", nemesis.words().c_str());
  std::printf("%zu runs, %zu stale tokens refused; %s\n", runs, stale, nemesis.tally().c_str());
  EXPECT_GT(static_cast<double>(runs), kSeconds / 2);  // it went on all the time
}

}  // namespace
}  // namespace postgres_kit
