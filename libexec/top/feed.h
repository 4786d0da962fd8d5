// Rows from the output of atmost list --json.
#ifndef ATMOST_LIBEXEC_TOP_FEED_H
#define ATMOST_LIBEXEC_TOP_FEED_H

#include <string>
#include <string_view>
#include <vector>

#include "board.h"

namespace atmost::top {

// One row a line. Any other line is a message, and is left out.
std::vector<Row> rows_of(std::string_view output);

}  // namespace atmost::top

#endif
