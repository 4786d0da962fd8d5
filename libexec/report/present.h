// The state of lock files of this machine at this moment, and the limits that were learned.
#ifndef ATMOST_LIBEXEC_REPORT_PRESENT_H
#define ATMOST_LIBEXEC_REPORT_PRESENT_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "ledger.h"
#include "summary.h"

namespace atmost::report {

struct Present {
  std::uint64_t holders = 0;  // slots that are held
  std::uint64_t waiters = 0;
  bool drained = false;
  std::string limit = {};     // of record, in words; empty: none
  std::int64_t start_ns = 0;  // the last admission, since 1970; 0: not known
};
// By the lock's file. Only locks of this machine that were looked at.
using PresentLocks = std::map<std::string, Present>;

// True if a log's path can be looked at: a log may name any path, even a device that reacts when it
// is opened.
bool is_plain_file(const std::string& path);

// Looks at the lock file. Creates nothing. The error names the file.
Result<Present> look_at(const std::string& path, const Instant& now);

// Looks at the files of those locks that are here; files that cannot be read are left out.
PresentLocks look_at_present(const std::vector<Summary>& locks);

// The limits that `auto` would apply to this lock now, by the default risk and bounds, from the
// statistics in its file.
struct Learned {
  std::int64_t limit_ns = 0;            // of --expire-after; 0: none
  double asked = 0, expected = 0;       // good runs of 1,000 that may be, and would be stopped
  std::uint64_t wrongly = 0, hung = 0;  // runs that were stopped (core/stats.h)
  std::string limit_words, risk_words;  // sentences; the second is empty below five runs
};

// The file is opened and not changed. Returns none if nothing was learned, or there is no such file
// here.
std::optional<Learned> learned_of(const LockStory& story);

}  // namespace atmost::report

#endif
