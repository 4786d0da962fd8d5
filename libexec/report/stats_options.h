// What the user of `atmost stats` asked for.
#ifndef ATMOST_LIBEXEC_REPORT_STATS_OPTIONS_H
#define ATMOST_LIBEXEC_REPORT_STATS_OPTIONS_H

#include <cstdint>
#include <string>

#include "reader/selection.h"

namespace atmost::report {

struct StatsOptions {
  bool help = false;
  bool version = false;
  bool json = false;
  bool prometheus = false;
  std::string prometheus_file;  // empty: standard output
  history::Selection selection;
};

// Throws history::Failure (usage).
StatsOptions parse_stats_options(int argc, char** argv, std::int64_t now_ns);

std::string stats_help();

}  // namespace atmost::report

#endif
