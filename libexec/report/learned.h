// The limits that were learned, for the pages that draw them in.
#ifndef ATMOST_LIBEXEC_REPORT_LEARNED_H
#define ATMOST_LIBEXEC_REPORT_LEARNED_H

#include <cstdint>

#include "ledger.h"

namespace atmost::report {

// What --expire-after auto would choose for this lock now, ns, from the statistics in its file,
// which is opened and not changed; 0: nothing was learned, or there is no such file here.
std::int64_t learned_limit_ns(const LockStory& story);

}  // namespace atmost::report

#endif
