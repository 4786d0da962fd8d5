// The findings about a lock, in a sentence.
#ifndef ATMOST_LIBEXEC_REPORT_VERDICT_H
#define ATMOST_LIBEXEC_REPORT_VERDICT_H

#include <string>

#include "summary.h"

namespace atmost::report {

// At most two findings, the worst first, in plain words without any name from the log; empty if
// nothing went wrong.
std::string verdict_on(const Summary& lock);

}  // namespace atmost::report

#endif
