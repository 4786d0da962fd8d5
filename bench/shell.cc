// The cost of a lock for a bash script.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <sstream>
#include <stdexcept>

#include "bench.h"

namespace bench {
namespace {

struct Way {
  const char* kind;  // in shell_locks.bash
  const char* name;
};
constexpr Way kWays[] = {
    {"flock_9", "exec 9>FILE; flock 9; exec 9>&-"},
    {"again", "lock_unlock lock, unlock: the same lock again"},
    {"first", "lock_unlock lock, unlock: for the first time"},
    {"floor", "floor of the first time: one static program, needed calls only"},
    {"start", "one start of a static program that does nothing"},
    {"lockfile_rm", "lockfile, rm -f (procmail)"},
    {"dotlockfile_l_u", "dotlockfile -l, -u (liblockfile)"},
    {"lckdo_true", "lckdo FILE true"},
};

std::map<std::string, Samples> run_script(const Options& options, int rounds) {
  const std::string source = BENCH_SOURCE;
  const std::string helper = witness::helper("bench_true");
  setenv("LOCK_UNLOCK", (source + "/../shell/lock_unlock.sh").c_str(), 1);
  setenv("ATMOST", options.program("atmost").c_str(), 1);
  setenv("HELPERS", helper.substr(0, helper.rfind('/')).c_str(), 1);
  const std::string figures = options.directory + "/shell.txt";
  const int out = open(figures.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (out < 0) throw std::runtime_error(figures + ": cannot be created");
  witness::World world;
  witness::Streams streams;
  streams.out = out;
  const int status =
      world.run({"/bin/sh", "-c", "cd \"$0\" && exec bash \"$1\" \"$2\"", options.directory,
                 source + "/shell_locks.bash", std::to_string(rounds)},
                streams, witness::Bound(600'000));
  close(out);
  if (status != 0) throw std::runtime_error("shell_locks.bash: " + witness::words(status));
  std::map<std::string, Samples> samples;
  std::istringstream lines(witness::read_file(figures));
  std::string kind;
  for (std::int64_t microseconds = 0; lines >> kind >> microseconds;)
    samples[kind].add(microseconds * 1000);
  return samples;
}

}  // namespace

void measure_shell(const Options& options, Book& book) {
  if (find_program("bash").empty() || find_program("flock").empty()) return;
  std::map<std::string, Samples> samples = run_script(options, options.quick ? 100 : 600);
  const Samples& flock = samples["flock_9"];
  Table table{"Lock and unlock in a bash script",
              "within one running script, by its own clock; all take turns. The function asks the "
              "keeper of a lock "
              "that it has had within two seconds, and starts a process for any other",
              {"", "median µs", "p90 µs", "of flock 9's"},
              {}};
  const auto part = [&](const Samples& own) {
    return static_cast<double>(own.median()) / static_cast<double>(flock.median());
  };
  for (const Way& way : kWays) {
    const Samples& own = samples[way.kind];
    if (own.empty()) {
      table.rows.push_back({way.name, "not installed", "", ""});
      continue;
    }
    table.rows.push_back({way.name, micros(own.median()), micros(own.quantile(0.9)),
                          &own == &flock ? "" : ratio(part(own))});
  }
  book.tables.push_back(table);
  const double reached = part(samples["again"]);
  book.goals.push_back({"lock_unlock, lock and unlock in a loop, in times `flock 9`", "≤ 0.6",
                        ratio(reached), reached <= 0.6});
  const double first = part(samples["first"]);
  book.goals.push_back({"lock_unlock, the first lock and unlock of a script, in times `flock 9`",
                        "≤ 0.75", ratio(first), first <= 0.75});
}

}  // namespace bench
