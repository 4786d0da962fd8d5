// The numbers for people: a row for each lock, or one lock at length.
#ifndef ATMOST_LIBEXEC_REPORT_STATS_TABLE_H
#define ATMOST_LIBEXEC_REPORT_STATS_TABLE_H

#include <string>
#include <vector>

#include "summary.h"

namespace atmost::report {

struct Paper {
  bool terminal =
      false;           // fitted columns; otherwise a tab between them, all of them, and no drawing
  bool utf8 = false;   // what draws may be drawn with blocks
  unsigned width = 0;  // of the terminal; 0: not known
};

// Columns in which no lock has anything are left out on a terminal.
std::string stats_table(const std::vector<Summary>& locks, const Paper& paper);

// One lock, with its run times drawn.
std::string stats_card(const Summary& lock, const Paper& paper);

// "1,234,567"
std::string grouped(std::uint64_t number);
std::string span_words(std::int64_t ns);
// "12 %", "0.4 %", "<0.1 %"
std::string percent(double share);

}  // namespace atmost::report

#endif
