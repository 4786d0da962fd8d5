// The page's table of locks, readable without its script.
#ifndef ATMOST_LIBEXEC_REPORT_PAGE_TABLE_H
#define ATMOST_LIBEXEC_REPORT_PAGE_TABLE_H

#include <string>
#include <vector>

#include "summary.h"

namespace atmost::report {

// A table element: a row for each lock, in the order given. Row i has data-lock="i"; cells have
// what they are sorted by in data-v.
std::string locks_table(const std::vector<Summary>& locks);

}  // namespace atmost::report

#endif
