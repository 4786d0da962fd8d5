// atmost simulate: ways to limit run times, side by side, on a recorded log.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "json/json.h"
#include "options.h"
#include "os/clock.h"
#include "reader/output.h"
#include "replay.h"

namespace atmost::simulate {

// A line on standard error that redraws itself. Nothing is drawn in the first half second, or if
// standard error is not a terminal, and the line is removed in the end.
class Progress {
 public:
  Progress(std::size_t whole, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `what`: the name of the work; `done`: the part of the whole that is finished.
  void show(const std::string& what, std::size_t done);

 private:
  std::size_t whole_;
  bool wanted_;
  bool drawn_ = false;
  std::int64_t next_ns_;
};

namespace {

constexpr std::int64_t kFirstNs = 500'000'000;
constexpr std::int64_t kBetweenNs = 100'000'000;
constexpr std::size_t kCells = 24;

}  // namespace

Progress::Progress(std::size_t whole, bool wanted)
    : whole_(std::max<std::size_t>(whole, 1)),
      wanted_(wanted && isatty(STDERR_FILENO)),
      next_ns_(os::boot_ns() + kFirstNs) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::show(const std::string& what, std::size_t done) {
  if (!wanted_ || os::boot_ns() < next_ns_) return;
  next_ns_ = os::boot_ns() + kBetweenNs;
  const std::size_t part = std::min(done, whole_);
  std::string bar(kCells * part / whole_, '#');
  bar.resize(kCells, '.');
  std::fprintf(stderr, "\r\x1b[K[%s] %3zu%%  %s", bar.c_str(), 100 * part / whole_, what.c_str());
  drawn_ = true;
}

namespace {

struct Part {
  std::string name;
  Trace trace;
};

struct Row {
  std::string rule;
  std::uint32_t risk_ppm = 0;
  std::vector<Score> scores;  // for each part
  std::vector<Score> once;    // the same, where a killed run is not repeated
};

std::vector<Part> parts_of(const Options& options) {
  std::vector<Part> parts;
  parts.push_back({"all", with_runs(read_trace(options.trace, options.quiet), options.min_runs)});
  if (parts[0].trace.atoms == 0) {
    throw history::Failure(Code::usage, options.trace + ": no lock in it has " +
                                            std::to_string(options.min_runs) +
                                            " runs; see --min-runs");
  }
  const bool by_user = options.split == Split::user;
  int half = 0;
  for (Trace& trace : halves(parts[0].trace, options.split)) {
    const bool first = half++ == 0;
    parts.push_back(
        {by_user ? (first ? "some users" : "the others") : (first ? "first half" : "second half"),
         std::move(trace)});
  }
  return parts;
}

std::vector<Row> replay_all(const std::vector<Part>& parts, const Options& options) {
  std::vector<Row> rows;
  std::size_t whole = 0, behind = 0;
  for (const Part& part : parts)
    whole += 2 * part.trace.runs.size() *
             all_rules(part.trace, options.bounds, options.risks_ppm).size();
  Progress progress(whole, !options.quiet);
  for (const Part& part : parts) {
    const Bounds bounds = {options.bounds.low, options.bounds.high, options.no_limit};
    for (const bool repeated : {true, false}) {
      const Setting setting = {.slots = options.slots, .repeated = repeated};
      const auto rules = all_rules(part.trace, options.bounds, options.risks_ppm);
      rows.resize(rules.size());
      for (std::size_t i = 0; i < rules.size(); ++i) {
        rows[i].rule = rules[i]->name();
        rows[i].risk_ppm = rules[i]->risk_ppm();
        std::vector<Score>& scores = repeated ? rows[i].scores : rows[i].once;
        scores.push_back(replay(part.trace, *rules[i], bounds, setting, [&](std::size_t done) {
          progress.show(rules[i]->name(), behind + done);
        }));
        behind += part.trace.runs.size();
      }
    }
  }
  return rows;
}

void show_json(const std::vector<Part>& parts, const std::vector<Row>& rows) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (const Row& row : rows) {
      const Score& score = row.scores[p];
      json::Object to;
      to.text("part", parts[p].name).text("rule", row.rule);
      if (row.risk_ppm > 0) to.raw("risk", risk_words(row.risk_ppm));
      to.number("locks", parts[p].trace.atoms).number("runs", parts[p].trace.runs.size());
      to.number("scored", score.runs).number("wrong_kills", score.kills);
      to.raw("per_1000", json::decimal(score.per_thousand(), 3))
          .number("killed_runs", score.killed);
      to.number("most_kills", score.most_kills).number("no_limit", score.unlimited);
      to.raw("ratio", json::decimal(score.ratio(), 3)).number("hangs", score.hangs);
      to.number("unnoticed", score.unnoticed).raw("notice", json::decimal(score.notice(), 3));
      to.number("too_fast", score.too_fast).number("would_note", score.would_note);
      const Score& once = row.once[p];
      to.number("once_wrong_kills", once.kills);
      to.raw("once_per_1000", json::decimal(once.per_thousand(), 3));
      to.raw("once_ratio", json::decimal(once.ratio(), 3));
      to.number("judged_locks", score.locks).number("locks_above", score.locks_above);
      std::printf("%s\n", to.str().c_str());
    }
  }
}

bool any_hangs(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    for (const Score& score : row.scores) {
      if (score.hangs > 0) return true;
    }
  }
  return false;
}

double percent(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

void show_table(const std::vector<Part>& parts, const std::vector<Row>& rows) {
  constexpr int kNames = 26, kColumn = 9;
  const bool hangs = any_hangs(rows);
  const int columns = hangs ? 5 : 4;
  for (const Part& part : parts) {
    std::printf("%s%s: %zu locks, %zu runs", &part == &parts[0] ? "" : "; ", part.name.c_str(),
                part.trace.atoms, part.trace.runs.size());
  }
  std::printf("\n\n%-*s", kNames, "");
  for (const Part& part : parts) std::printf("  %-*s", columns * kColumn - 2, part.name.c_str());
  std::printf("\n%-*s", kNames, "limit");
  for (std::size_t p = 0; p < parts.size(); ++p) {
    std::printf("%*s%*s%*s%*s", kColumn, "kills", kColumn, "once", kColumn, "none", kColumn,
                "ratio");
    if (hangs) std::printf("%*s", kColumn, "hangs");
  }
  std::printf("\n");
  for (const Row& row : rows) {
    std::printf("%-*s", kNames, row.rule.c_str());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const Score& score = row.scores[p];
      std::printf("%*.1f%*.1f%*.1f%%%*.1f", kColumn, score.per_thousand(), kColumn,
                  row.once[p].per_thousand(), kColumn - 1, percent(score.unlimited, score.runs),
                  kColumn, score.ratio());
      if (hangs) std::printf("%*.1f", kColumn, score.notice());
    }
    std::printf("\n");
  }
  std::printf(
      "\nkills: of 1,000 good runs from each lock's sixth on; one that is tried again counts "
      "again\n"
      "once: the same, where a killed run is not tried again\n"
      "none: runs that had no limit, or the longest; in the ratio as --auto-max, or a day\n"
      "ratio: limit / median run time, geometric mean: how long a hang goes unnoticed\n");
  if (hangs) std::printf("hangs: how long the cancelled runs took / median, geometric mean\n");
}

int run_simulate(int argc, char** argv) {
  Options options;
  if (!read_arguments(argc, argv, options)) return 0;
  const std::vector<Part> parts = parts_of(options);
  const std::vector<Row> rows = replay_all(parts, options);
  options.json ? show_json(parts, rows) : show_table(parts, rows);
  history::finish_output();
  return 0;
}

}  // namespace

}  // namespace atmost::simulate

int main(int argc, char** argv) {
  return atmost::history::run_guarded(atmost::simulate::run_simulate, argc, argv);
}
