// The locks' numbers in the format of Prometheus, for node_exporter's textfile collector
// (exposition format 0.0.4).
#ifndef ATMOST_LIBEXEC_REPORT_PROMETHEUS_H
#define ATMOST_LIBEXEC_REPORT_PROMETHEUS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "present.h"
#include "summary.h"

namespace atmost::report {

// `present`: the state of this moment; locks that it does not have get no such sample. `skipped`:
// lines of the logs that could not be read. The metrics: atmost-stats(1).
std::string prometheus_text(const std::vector<Summary>& locks, const PresentLocks& present,
                            std::size_t skipped, std::int64_t now_ns);

}  // namespace atmost::report

#endif
