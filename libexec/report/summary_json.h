// A lock's numbers for programs: `atmost stats --json` (the names: atmost-stats(1)).
#ifndef ATMOST_LIBEXEC_REPORT_SUMMARY_JSON_H
#define ATMOST_LIBEXEC_REPORT_SUMMARY_JSON_H

#include <string>

#include "summary.h"

namespace atmost::report {

// One object, without a newline. Unknown values are left out.
std::string summary_json(const Summary& summary);

}  // namespace atmost::report

#endif
