// A line for each lock: its last run, its usual run time, and its state now.
#ifndef ATMOST_LIBEXEC_REPORT_JOBS_H
#define ATMOST_LIBEXEC_REPORT_JOBS_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "present.h"
#include "reader/output.h"
#include "reader/sources.h"
#include "summary.h"

namespace atmost::report {

// Moments are ns since 1970, 0 where none is known.
struct Job {
  std::string name, path;       // as they are: escape them before showing
  const Summary* of = nullptr;  // null if the lock is not in the log
  std::optional<Run> last;      // the run that ended last; none if no run has ended
  std::int64_t last_start_ns = 0;
  std::int64_t last_success_ns = 0;
  std::int64_t usually_ns = 0;  // the median run time
  std::uint64_t refused = 0;    // requests since the last start
  std::uint64_t running = 0;    // slots; without `present`, runs whose end is not logged
  std::optional<Present> present;
  std::int64_t next_ns = 0;  // the moment from which a request is no longer too soon

  bool failed() const;
};

// A job for each lock of the log, and, unless the log is another machine's (`look`), for each lock
// file of the directory, or that was asked for. Each file of this machine is looked at: its record
// of the last start may be newer than the log. The latest start comes first, a start in the future
// last. `complaints` gets the errors of files that could not be read. The summaries have to outlive
// the jobs.
std::vector<Job> jobs_of(const std::vector<Summary>& logged, const history::Sources& sources,
                         bool look, const Instant& now, std::vector<Error>& complaints);

std::string jobs_table(const std::vector<Job>& jobs, std::int64_t now_ns,
                       const history::Paper& paper);
// One object, without a newline (atmost-jobs(1)). Unknown values are left out.
std::string job_json(const Job& job);

}  // namespace atmost::report

#endif
