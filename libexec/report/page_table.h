// The page's tables, readable without its script: all locks, or the last runs of one.
#ifndef ATMOST_LIBEXEC_REPORT_PAGE_TABLE_H
#define ATMOST_LIBEXEC_REPORT_PAGE_TABLE_H

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "reader/record.h"
#include "summary.h"

namespace atmost::report {

// A table element: a row for each lock, in the order given. Row i has data-lock="i"; cells have
// what they are sorted by in data-v.
std::string locks_table(const std::vector<Summary>& locks);

class RecentRuns {
 public:
  // Keeps the fields of an `ended`; other lines are not about a whole run. The record is needed
  // during the call only.
  void take(const history::Record& record);
  // A section of the page with a table, the newest run first; empty if there is none.
  std::string html() const;

 private:
  static constexpr std::size_t kMost = 500;
  struct Ended {
    std::int64_t start_ns;
    std::int64_t waited_ns;
    std::int64_t ran_ns;
    std::int64_t pid;
    std::string how;  // as stats and the manual call it: "success", "exit 3", "signal TERM"
    std::string command, host;
    bool good;
  };
  std::deque<Ended> runs_;  // in the order of the log
  std::uint64_t all_ = 0;
};

}  // namespace atmost::report

#endif
