// Locks in etcd beside etcdctl's, on one cluster of three members on this machine: what one caller pays, what fifty pay
// together, and how fast slots go from hand to hand among two hundred.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "etcd/kit/cluster.h"

namespace {

double now() {
  timespec at = {};
  clock_gettime(CLOCK_MONOTONIC, &at);
  return static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) / 1e9;
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(values.size())))];
}

struct Bench {
  etcd_kit::Cluster cluster;
  std::string directory;
  std::string own;  // this program, which is also the command that is run
  std::string atmost;

  std::vector<std::string> ours(const std::vector<std::string>& options, const std::string& lock) const {
    std::vector<std::string> line = {atmost, "run", "--no-history", "--store", cluster.url("/bench"),
                                     "-w",   "inf"};
    line.insert(line.end(), options.begin(), options.end());
    line.insert(line.end(), {lock, "--"});
    return line;
  }
  std::vector<std::string> etcdctls(const std::string& lock) const {
    return {"etcdctl", "--endpoints=" + cluster.hosts(), "lock", lock, "--"};
  }
};

pid_t start(std::vector<std::string> line, const std::vector<std::string>& command) {
  line.insert(line.end(), command.begin(), command.end());
  std::vector<char*> argv;
  for (std::string& word : line) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, 1);
  execvp(argv[0], argv.data());
  _exit(127);
}

bool succeeds(pid_t pid) {
  int status = 0;
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The command: notes the slot, when it began and when it ended. With `gate` it first waits until that can be opened.
int hold(const char* log, const char* gate, int milliseconds) {
  const double begun = now();
  if (gate != nullptr) (void)!open(gate, O_RDONLY);
  usleep(static_cast<useconds_t>(milliseconds) * 1000);
  const char* slot = getenv("ATMOST_SLOT");
  char line[128];
  const int size = snprintf(line, sizeof line, "%s %.6f %.6f\n", slot != nullptr ? slot : "1", begun, now());
  const int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
  return write(fd, line, static_cast<std::size_t>(size)) == size ? 0 : 1;
}

struct Held {
  int slot;
  double begun, ended;
};
std::vector<Held> read_log(const std::string& path) {
  std::vector<Held> all;
  std::ifstream file(path);
  for (Held each; file >> each.slot >> each.begun >> each.ended;) all.push_back(each);
  return all;
}

void one_caller(const Bench& bench) {
  constexpr int kRounds = 40;
  std::map<std::string, std::vector<double>> running, whole;
  for (int i = 0; i < kRounds; ++i) {
    for (const char* who : {"atmost", "etcdctl lock"}) {
      const bool ours = *who == 'a';
      const std::string log = bench.directory + "/one";
      unlink(log.c_str());
      const double asked = now();
      const pid_t pid =
          start(ours ? bench.ours({}, "one") : bench.etcdctls("one"), {bench.own, "--hold", log, "", "0"});
      const bool good = succeeds(pid);
      const std::vector<Held> held = read_log(log);
      if (!good || held.size() != 1) continue;
      whole[who].push_back((now() - asked) * 1000);
      running[who].push_back((held[0].begun - asked) * 1000);
    }
  }
  std::printf("one caller, medians of %d          to the command   to the end\n", kRounds);
  for (const char* who : {"atmost", "etcdctl lock"}) {
    std::printf("  %-28s %12.1f ms %9.1f ms\n", who, quantile(running[who], 0.5), quantile(whole[who], 0.5));
  }
  std::printf("  ratio to the command: %.2f\n",
              quantile(running["atmost"], 0.5) / quantile(running["etcdctl lock"], 0.5));
}

void fifty(const Bench& bench) {
  std::printf("fifty contending callers, run true\n");
  for (const char* who : {"atmost", "etcdctl lock"}) {
    const double asked = now();
    std::vector<pid_t> all;
    for (int i = 0; i < 50; ++i)
      all.push_back(start(*who == 'a' ? bench.ours({}, "fifty") : bench.etcdctls("fifty"), {"true"}));
    int failed = 0;
    for (pid_t pid : all) failed += succeeds(pid) ? 0 : 1;
    std::printf("  %-28s %12.2f s%s\n", who, now() - asked, failed > 0 ? "  (some failed)" : "");
  }
}

// How many transactions the members have served: reads and writes.
double transactions(const Bench& bench) {
  double all = 0;
  for (unsigned i = 0; i < bench.cluster.count(); ++i) {
    std::istringstream lines(etcd_kit::fetch(bench.cluster.host(i), "/metrics", nullptr, 5000));
    for (std::string line; std::getline(lines, line);) {
      if (line.find("grpc_server_handled_total{") != 0 ||
          line.find("grpc_method=\"Txn\"") == std::string::npos)
        continue;
      all += atof(line.c_str() + line.rfind(' '));
    }
  }
  return all;
}

std::size_t waiting(const Bench& bench) {
  const std::string text =
      etcd_kit::fetch(bench.cluster.host(0), "/v3/kv/range",
                      "{\"key\":\"L2JlbmNoL2hhbmRzLmxvY2svdy8=\","
                      "\"range_end\":\"L2JlbmNoL2hhbmRzLmxvY2svdzA=\",\"count_only\":true}",
                      5000);  // /bench/hands.lock/w/
  const std::size_t at = text.find("\"count\":\"");
  return at == std::string::npos ? 0 : strtoul(text.c_str() + at + 9, nullptr, 10);
}

void handoffs(const Bench& bench) {
  constexpr std::size_t kWaiters = 200, kSlots = 4;
  const std::string log = bench.directory + "/hands", gate = bench.directory + "/gate";
  if (mkfifo(gate.c_str(), 0600) != 0) return;
  const std::vector<std::string> command = {bench.own, "--hold", log, gate, "5"};
  std::vector<pid_t> all;
  for (std::size_t i = 0; i < kSlots + kWaiters; ++i) {
    all.push_back(start(bench.ours({"-n", "4", "--ttl", "60s"}, "hands"), command));
    usleep(5000);
  }
  while (waiting(bench) < kWaiters) usleep(20'000);
  const double before = transactions(bench);
  const double asked = now();
  const int opened = open(gate.c_str(), O_RDWR);
  int failed = 0;
  for (pid_t pid : all) failed += succeeds(pid) ? 0 : 1;
  const double span = now() - asked;
  const double after = transactions(bench);
  close(opened);
  std::vector<Held> held = read_log(log);
  std::sort(held.begin(), held.end(),
            [](const Held& one, const Held& other) { return one.begun < other.begun; });
  std::map<int, double> free_since;
  std::vector<double> pauses;
  for (const Held& each : held) {
    if (free_since.contains(each.slot)) pauses.push_back((each.begun - free_since[each.slot]) * 1000);
    free_since[each.slot] = each.ended;
  }
  // Each of them is released once, and each waiter admitted once: the writes. All else was read.
  const double releases = static_cast<double>(kSlots + kWaiters);
  const double reads = (after - before - releases - static_cast<double>(kWaiters)) / releases;
  std::printf("%zu waiters, %zu slots, 5 ms each: %.2f s%s\n", kWaiters, kSlots, span,
              failed > 0 ? "  (some failed)" : "");
  std::printf(
      "  from a slot's release to its next command: median %.1f ms, 99th percentile %.1f ms, worst %.1f ms\n",
      quantile(pauses, 0.5), quantile(pauses, 0.99), quantile(pauses, 1));
  std::printf("  reads for each release: %.2f (one of them shows a lock in up to 7 ranges)\n", reads);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && strcmp(argv[1], "--hold") == 0)
    return hold(argv[2], *argv[3] != '\0' ? argv[3] : nullptr, atoi(argv[4]));
  char directory[] = "/tmp/atmost-bench-XXXXXX";
  char own[4096] = {};
  if (mkdtemp(directory) == nullptr || readlink("/proc/self/exe", own, sizeof own - 1) <= 0) return 1;
  const char* build = getenv("BUILD");
  setenv("ETCDCTL_API", "3", 1);
  const Bench bench{etcd_kit::Cluster(), directory, own,
                    std::string(build != nullptr ? build : "build") + "/bin/atmost"};
  one_caller(bench);
  fifty(bench);
  handoffs(bench);
  const std::string clean = std::string("rm -rf ") + directory;
  return system(clean.c_str()) == 0 ? 0 : 1;
}
