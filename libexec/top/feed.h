// Rows from what atmost list --json prints.
#ifndef ATMOST_LIBEXEC_TOP_FEED_H
#define ATMOST_LIBEXEC_TOP_FEED_H

#include <string>
#include <string_view>
#include <vector>

#include "board.h"

namespace atmost::top {

// One row a line. A line that is no such object is left out: it is a message.
std::vector<Row> rows_of(std::string_view output);

}  // namespace atmost::top

#endif
