// The risk that learned limits keep on logs, by the product's own code: with one slot, as in the
// log, and with eight; with killed runs repeated and not; without any trace of killed runs, and
// with traces that are wrong now and then. And after how long hangs are noticed.
//
// usage: learned_rule [--hangs] [--half 1|2] LOG... [--batch LOG...]
//
// --batch: limits of batch jobs, 60 s to 24 h. --half: only every other user (or lock) of each LOG.
// Constants are chosen on one half of the logs, and reported on the other. A line for each setting;
// the columns are named in the first.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "replay.h"

namespace atmost::simulate {
namespace {

struct Log {
  std::string name;
  Trace trace;
  Bounds bounds;
};

Log read(const std::string& path, bool batch, int half) {
  constexpr std::size_t kRuns = 30;
  Log log;
  log.name = path.substr(path.rfind('/') + 1);
  log.name = log.name.substr(0, log.name.find(".swf"));
  log.trace = with_runs(read_trace(path, true), kRuns);
  if (half > 0) log.trace = halves(log.trace, Split::user).at(static_cast<std::size_t>(half) - 1);
  const Duration day = Duration::seconds(86400);
  log.bounds = {Duration::seconds(1), Duration::forever(), day};
  if (batch) log.bounds = {Duration::seconds(60), day, day};
  return log;
}

Score score_of(const Log& log, std::uint32_t ppm, const Setting& setting) {
  const auto rules = all_rules(log.trace, {log.bounds.low, log.bounds.high, ppm}, {ppm});
  for (const auto& rule : rules) {
    if (rule->risk_ppm() > 0)
      return replay(log.trace, *rule, log.bounds, setting, [](std::size_t) {});
  }
  std::abort();
}

// The largest count that a rule which kills each run with exactly this chance exceeds in one log of
// twenty.
std::size_t by_chance(double expected) {
  double term = std::exp(-expected), sum = term;
  std::size_t count = 0;
  for (; sum < 0.95; sum += term) term *= expected / static_cast<double>(++count);
  return count;
}

void show(const Log& log, std::uint32_t ppm, const Setting& setting) {
  const Score score = score_of(log, ppm, setting);
  const double asked = ppm / 1000.0;
  std::printf("%s\t%g\t%zu\t%d\t%g\t%zu\t%zu\t%.2f\t%.4g\t%zu\n", log.name.c_str(), asked,
              setting.slots, setting.repeated, setting.wrong_labels, score.runs, score.kills,
              score.per_thousand() / asked, score.ratio(),
              by_chance(ppm * 1e-6 * static_cast<double>(score.runs)));
}

void show_hangs(Log log, double share, double wrong_labels, bool repeated) {
  if (log.bounds.high.is_forever()) log.bounds.high = LearnedBounds{}.high;
  const Setting setting = {
      .slots = 1, .repeated = repeated, .wrong_labels = wrong_labels, .hangs = share};
  const Score score = score_of(log, LearnedBounds{}.risk_ppm, setting);
  std::printf("%s\t%g\t%d\t%g\t%zu\t%zu\t%.4g\t%.2f\n", log.name.c_str(), share, repeated,
              wrong_labels, score.hangs, score.unnoticed, score.notice(), score.per_thousand());
}

int run(int argc, char** argv) {
  bool hangs = false, batch = false;
  int half = 0, at = 1;
  for (; at < argc && argv[at][0] == '-'; ++at) {
    const std::string option = argv[at];
    if (option == "--hangs") hangs = true;
    if (option == "--half" && at + 1 < argc) half = std::atoi(argv[++at]);
    batch = batch || option == "--batch";
  }
  std::puts(hangs ? "log\thangs\trepeated\twrong\tseen\tunnoticed\tmedians\tper_1000"
                  : "log\tasked\tslots\trepeated\twrong\truns\tkills\tkept/asked\tratio\tchance");
  for (; at < argc; ++at) {
    if (std::string(argv[at]) == "--batch") {
      batch = true;
      continue;
    }
    const Log log = read(argv[at], batch, half);
    for (const double wrong : {-1.0, 0.0, 0.05, 0.2}) {
      for (const bool repeated : {true, false}) {
        if (hangs) {
          for (const double share : {0.01, 0.001}) show_hangs(log, share, wrong, repeated);
          continue;
        }
        for (const std::size_t slots : {1u, 0u, 8u}) {
          for (const std::uint32_t ppm : {3000u, 5000u, 10'000u})
            show(log, ppm, {.slots = slots, .repeated = repeated, .wrong_labels = wrong});
        }
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace atmost::simulate

int main(int argc, char** argv) { return atmost::simulate::run(argc, argv); }
