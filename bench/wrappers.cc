// The time that a wrapper adds to starting a command and waiting for it.
#include <sys/wait.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "bench.h"

namespace bench {
namespace {

struct Wrapper {
  std::string name;
  Argv argv;      // empty: not installed
  int every = 1;  // takes part in every Nth round: sem needs a thousand times longer than the rest
};

std::vector<Wrapper> wrappers(const Options& options) {
  const std::string command = witness::helper("bench_true");
  const std::string atmost = options.program("atmost");
  std::vector<Wrapper> all{
      {"nothing (spawn and wait)", {command}},
      {"floor: only become it", {witness::helper("bench_floor"), "exec", command}},
      {"floor: only wait for it", {witness::helper("bench_floor"), "wait", command}},
      {"atmost run", {atmost, "run", options.lock("run"), "--", command}},
      {"atmost run --no-history",
       {atmost, "run", "--no-history", options.lock("run"), "--", command}},
      {"atmost run --exec", {atmost, "run", "--exec", options.lock("exec"), "--", command}},
      {"exectimes (ours)", {options.program("exectimes"), options.lock("exectimes"), "1", command}},
      {"plain scan, static", {witness::helper("plain_scan"), options.lock("plain"), "1", command}},
  };
  const std::vector<std::pair<std::string, Argv>> others{
      {"flock", {options.lock("flock"), command}},
      {"setlock", {options.lock("setlock"), command}},
      {"s6-setlock", {options.lock("s6"), command}},
      {"chpst", {"-l", options.lock("chpst"), command}},
      {"with-lock-ex", {"-w", options.lock("withlockex"), command}},
      {"lckdo", {options.lock("lckdo"), command}},
      {"sem", {"--fg", "--id", options.lock("sem"), command}},
  };
  for (const auto& [name, arguments] : others) {
    Wrapper wrapper{name, {}, name == "sem" ? 25 : 1};
    if (const std::string path = find_program(name); !path.empty()) {
      wrapper.argv = {path};
      wrapper.argv.insert(wrapper.argv.end(), arguments.begin(), arguments.end());
    }
    all.push_back(wrapper);
  }
  return all;
}

// A goal, as a multiple of the time that another program adds.
void judge(Book& book, const std::string& what, const Samples& ours, const Samples& bare,
           const Samples& other, double most) {
  if (ours.empty() || other.empty()) return;
  const double share = static_cast<double>(ours.median() - bare.median()) /
                       static_cast<double>(other.median() - bare.median());
  book.goals.push_back({what, "≤ " + ratio(most), ratio(share), share <= most});
}

// The same run with and without recording it, in turns: the first of the two finds colder caches.
void judge_memory(const Options& options, Book& book) {
  const std::string atmost = options.program("atmost"), command = witness::helper("bench_true");
  const std::string lock = options.lock("memory");
  const Argv with{atmost, "run", lock, "--", command};
  const Argv without{atmost, "run", "--no-learn", lock, "--", command};
  Samples remembered, forgotten;
  const int rounds = options.quick ? 100 : 1000;
  for (int round = -3; round < rounds; ++round) {
    for (const bool first : {round % 2 == 0, round % 2 != 0}) {
      int status = 0;
      const std::int64_t ns = time_run(first ? with : without, &status);
      if (status == 0 && round >= 0) (first ? remembered : forgotten).add(ns);
    }
  }
  if (remembered.empty() || forgotten.empty()) return;
  const std::int64_t adds = remembered.median() - forgotten.median();
  book.goals.push_back(
      {"atmost run: what it adds to remember the run, in µs", "10", micros(adds), adds <= 10'000});
}

}  // namespace

void measure_wrappers(const Options& options, Book& book) {
  std::vector<Wrapper> all = wrappers(options);
  const int rounds = options.quick ? 60 : 600;
  std::map<std::string, Samples> samples;
  // The order changes each round: the command before leaves caches cold or warm. In a fixed order
  // the bare command followed the longest wrapper each time, and seemed up to 25 µs dearer than it
  // is.
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(1);
  for (int round = -3; round < rounds; ++round) {  // the first three warm the caches
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t at : order) {
      Wrapper& wrapper = all[at];
      if (wrapper.argv.empty() || (round >= 0 && round % wrapper.every != 0)) continue;
      int status = 0;
      const std::int64_t ns = time_run(wrapper.argv, &status);
      if (status != 0) {
        tell("  " + wrapper.name + " failed: " + witness::words(status) + "; left out\n");
        wrapper.argv.clear();
        samples.erase(wrapper.name);
      } else if (round >= 0) {
        samples[wrapper.name].add(ns);
      }
    }
  }
  const Samples& bare = samples[all[0].name];
  const Samples& flock = samples["flock"];
  Table table{"One command under a lock nobody holds",
              "medians of " + std::to_string(rounds) +
                  " rounds, each round running every program once (sem in every " +
                  "25th); the command is a static program that exits at once",
              {"", "µs", "p90 µs", "adds µs", "of what flock adds"},
              {}};
  for (const Wrapper& wrapper : all) {
    const Samples& own = samples[wrapper.name];
    if (own.empty()) {
      table.rows.push_back({wrapper.name, "missing", "", "", ""});
      continue;
    }
    const std::int64_t adds = own.median() - bare.median();
    const bool comparable = !flock.empty() && &own != &bare;
    table.rows.push_back({wrapper.name, micros(own.median()), micros(own.quantile(0.9)),
                          &own == &bare ? "" : micros(adds),
                          comparable ? ratio(static_cast<double>(adds) /
                                             static_cast<double>(flock.median() - bare.median()))
                                     : ""});
  }
  book.tables.push_back(table);
  judge_memory(options, book);
  const Samples& run = samples["atmost run"];
  const Samples& exec = samples["atmost run --exec"];
  judge(book, "atmost run: adds, in times waiting only", run, bare, samples[all[2].name], 1.8);
  judge(book, "atmost run: adds, in times flock(1)", run, bare, flock, 0.25);
  judge(book, "--exec: adds, in times becoming only", exec, bare, samples[all[1].name], 2.5);
  judge(book, "--exec: adds, in times flock(1)", exec, bare, flock, 0.11);
}

}  // namespace bench
