// One lock's timeline as a separate drawing.
#ifndef ATMOST_LIBEXEC_REPORT_SVG_H
#define ATMOST_LIBEXEC_REPORT_SVG_H

#include <cstdint>
#include <string>

#include "summary.h"

namespace atmost::report {

// A whole SVG document, 1200 wide, from one moment to the other: each run and mark up to some
// thousands of them, pieces of time beyond that. Needs no other file; follows the reader's
// preference for light or dark.
std::string timeline_svg(const Summary& lock, std::int64_t from_ns, std::int64_t to_ns);

}  // namespace atmost::report

#endif
