// The locks' numbers as Prometheus reads them, for node_exporter's textfile collector (exposition
// format 0.0.4).
#ifndef ATMOST_LIBEXEC_REPORT_PROMETHEUS_H
#define ATMOST_LIBEXEC_REPORT_PROMETHEUS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "summary.h"

namespace atmost::report {

// `skipped`: lines of the logs that could not be read. The metrics: atmost-stats(1).
std::string prometheus_text(const std::vector<Summary>& locks, std::size_t skipped,
                            std::int64_t now_ns);

}  // namespace atmost::report

#endif
