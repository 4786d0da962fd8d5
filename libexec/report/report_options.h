// What the user of `atmost report` asked for.
#ifndef ATMOST_LIBEXEC_REPORT_REPORT_OPTIONS_H
#define ATMOST_LIBEXEC_REPORT_REPORT_OPTIONS_H

#include <cstdint>
#include <string>

#include "reader/selection.h"

namespace atmost::report {

struct ReportOptions {
  bool help = false;
  bool version = false;
  bool svg = false;
  std::string output;  // empty: standard output
  history::Selection selection;
};

// Throws history::Failure (usage).
ReportOptions parse_report_options(int argc, char** argv, std::int64_t now_ns);

std::string report_help();

}  // namespace atmost::report

#endif
