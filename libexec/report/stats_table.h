// The numbers for people: a row for each lock, or one lock at length.
#ifndef ATMOST_LIBEXEC_REPORT_STATS_TABLE_H
#define ATMOST_LIBEXEC_REPORT_STATS_TABLE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "present.h"
#include "reader/output.h"
#include "summary.h"

namespace atmost::report {

// As history::table() fits it.
std::string stats_table(const std::vector<Summary>& locks, const history::Paper& paper);

// One lock, with its run times drawn.
std::string stats_card(const Summary& lock, const history::Paper& paper);

// "1,234,567"
std::string grouped(std::uint64_t number);
std::string span_words(std::int64_t ns);
// "12 %", "0.4 %", "<0.1 %"
std::string percent(double share);

// The locks' numbers in the format of Prometheus, for node_exporter's textfile collector
// (exposition format 0.0.4).

// `present`: the state of this moment; locks that it does not have get no such sample. `skipped`:
// lines of the logs that could not be read. The metrics: atmost-stats(1).
std::string prometheus_text(const std::vector<Summary>& locks, const PresentLocks& present,
                            std::size_t skipped, std::int64_t now_ns);

}  // namespace atmost::report

#endif
