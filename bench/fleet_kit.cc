#include "fleet_kit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

namespace fleet_bench {
namespace {

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(part * static_cast<double>(values.size())))];
}

// The command (Arena::holding).
int hold(const char* log, const char* gate, int milliseconds) {
  const double begun = now();
  if (*gate != '\0') (void)!open(gate, O_RDONLY);
  usleep(static_cast<useconds_t>(milliseconds) * 1000);
  const char* slot = getenv("ATMOST_SLOT");
  char line[128];
  const int size =
      snprintf(line, sizeof line, "%s %.6f %.6f\n", slot != nullptr ? slot : "1", begun, now());
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

Contenders together(const Contender& ours, const Contender& theirs, const Contenders& floors) {
  Contenders all = {ours, theirs};
  all.insert(all.end(), floors.begin(), floors.end());
  return all;
}

// The order changes each round, as a server may still be busy with the caller before.
Contenders in_some_order(Contenders all) {
  static std::mt19937 random(1);
  std::shuffle(all.begin(), all.end(), random);
  return all;
}

const char* if_some(int failed) { return failed > 0 ? "  (some failed)" : ""; }

}  // namespace

double now() {
  timespec at = {};
  clock_gettime(CLOCK_MONOTONIC, &at);
  return static_cast<double>(at.tv_sec) + static_cast<double>(at.tv_nsec) / 1e9;
}

Line Arena::holding(const std::string& log, const std::string& gate, int milliseconds) const {
  return {own, "--hold", log, gate, std::to_string(milliseconds)};
}

std::string Arena::beside(const std::string& name) const {
  return own.substr(0, own.rfind('/') + 1) + name;
}

Contender atmost_at(const Arena& arena, const std::string& url) {
  return {"atmost", [program = arena.atmost, url](const std::string& lock, const Line& options,
                                                  const Line& command) {
            Line line = {program, "run", "--no-history", "--store", url, "-w", "inf"};
            line.insert(line.end(), options.begin(), options.end());
            line.insert(line.end(), {lock, "--"});
            line.insert(line.end(), command.begin(), command.end());
            return line;
          }};
}

int start(Line line) {
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

bool succeeds(int pid) {
  int status = 0;
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void one_caller(const Arena& arena, const Contender& ours, const Contender& theirs,
                const Contenders& floors) {
  constexpr int kRounds = 40;
  const Contenders all = together(ours, theirs, floors);
  std::map<std::string, std::vector<double>> running, whole;
  for (int i = 0; i < kRounds; ++i) {
    for (const Contender& who : in_some_order(all)) {
      const std::string log = arena.directory + "/one";
      unlink(log.c_str());
      const double asked = now();
      const bool good = succeeds(start(who.line("one", {}, arena.holding(log, "", 0))));
      const double ended = now();
      const std::vector<Held> held = read_log(log);
      if (!good || held.size() != 1) continue;
      whole[who.name].push_back((ended - asked) * 1000);
      running[who.name].push_back((held[0].begun - asked) * 1000);
    }
  }
  std::printf("one caller, medians of %d          to the command   to the end\n", kRounds);
  for (const Contender& who : all) {
    std::printf("  %-28s %12.1f ms %9.1f ms%s\n", who.name.c_str(),
                quantile(running[who.name], 0.5), quantile(whole[who.name], 0.5),
                if_some(kRounds - static_cast<int>(whole[who.name].size())));
  }
  std::printf("  ratio to the command: %.2f\n",
              quantile(running[ours.name], 0.5) / quantile(running[theirs.name], 0.5));
}

namespace {

// Fifty of them, all at once: seconds until the last has ended.
double burst(const Contender& who, const Line& command, int& failed) {
  const double asked = now();
  std::vector<int> all;
  for (int i = 0; i < 50; ++i) all.push_back(start(who.line("fifty", {}, command)));
  for (int pid : all) failed += succeeds(pid) ? 0 : 1;
  return now() - asked;
}

}  // namespace

void fifty_at_once(const Arena& arena, const Contender& ours, const Contender& theirs,
                   const Contenders& floors) {
  constexpr int kRounds = 7;
  const Contenders all = together(ours, theirs, floors);
  std::map<std::string, std::vector<double>> whole, running;
  std::map<std::string, int> failed;
  const std::string log = arena.directory + "/fifty";
  for (int i = 0; i < kRounds; ++i) {
    for (const Contender& who : in_some_order(all))
      whole[who.name].push_back(burst(who, {"true"}, failed[who.name]));
    for (const Contender& who : in_some_order(all)) {
      unlink(log.c_str());
      const double asked = now();
      burst(who, arena.holding(log, "", 0), failed[who.name]);
      for (const Held& each : read_log(log)) running[who.name].push_back(each.begun - asked);
    }
  }
  std::printf("fifty contending callers, medians of %d       all ran true   to one's command\n",
              kRounds);
  for (const Contender& who : all) {
    std::printf("  %-28s %18.3f s %12.3f s%s\n", who.name.c_str(), quantile(whole[who.name], 0.5),
                quantile(running[who.name], 0.5), if_some(failed[who.name]));
  }
  std::printf("  ratio: %.2f, to the command %.2f\n",
              quantile(whole[ours.name], 0.5) / quantile(whole[theirs.name], 0.5),
              quantile(running[ours.name], 0.5) / quantile(running[theirs.name], 0.5));
}

double two_hundred_waiters(const Arena& arena, const Contender& ours, const Handoffs& store) {
  constexpr std::size_t kWaiters = 200, kSlots = 4;
  const std::string log = arena.directory + "/hands", gate = arena.directory + "/gate";
  if (mkfifo(gate.c_str(), 0600) != 0) return 0;
  const Line line = ours.line("hands", {"-n", "4", "--ttl", "60s"}, arena.holding(log, gate, 5));
  std::vector<int> all;
  for (std::size_t i = 0; i < kSlots + kWaiters; ++i) {
    all.push_back(start(line));
    usleep(5000);
  }
  while (store.waiting("hands") < kWaiters) usleep(20'000);
  const double before = store.transactions();
  const double asked = now();
  const int opened = open(gate.c_str(), O_RDWR);
  int failed = 0;
  for (int pid : all) failed += succeeds(pid) ? 0 : 1;
  const double span = now() - asked;
  const double after = store.transactions();
  close(opened);
  std::vector<Held> held = read_log(log);
  std::sort(held.begin(), held.end(),
            [](const Held& one, const Held& other) { return one.begun < other.begun; });
  std::map<int, double> free_since;
  std::vector<double> pauses;
  for (const Held& each : held) {
    if (free_since.contains(each.slot))
      pauses.push_back((each.begun - free_since[each.slot]) * 1000);
    free_since[each.slot] = each.ended;
  }
  std::printf("%zu waiters, %zu slots, 5 ms each: %.2f s%s\n", kWaiters, kSlots, span,
              if_some(failed));
  std::printf(
      "  from a slot's release to its next command: median %.1f ms, 99th percentile %.1f ms, worst "
      "%.1f ms\n",
      quantile(pauses, 0.5), quantile(pauses, 0.99), quantile(pauses, 1));
  return (after - before) / static_cast<double>(kSlots + kWaiters);
}

int run(int argc, char** argv, void (*measure)(const Arena&)) {
  if (argc == 5 && strcmp(argv[1], "--hold") == 0) return hold(argv[2], argv[3], atoi(argv[4]));
  char directory[] = "/tmp/atmost-bench-XXXXXX";
  char own[4096] = {};
  if (mkdtemp(directory) == nullptr || readlink("/proc/self/exe", own, sizeof own - 1) <= 0)
    return 1;
  const char* build = getenv("BUILD");
  measure({directory, own, std::string(build != nullptr ? build : "build") + "/bin/atmost"});
  std::error_code left;
  std::filesystem::remove_all(directory, left);
  return left ? 1 : 0;
}

}  // namespace fleet_bench
