// Who holds locks and who waits for them at this moment, as `atmost list` says.
#ifndef ATMOST_LIBEXEC_REPORT_PRESENT_H
#define ATMOST_LIBEXEC_REPORT_PRESENT_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "summary.h"

namespace atmost::report {

struct Present {
  std::uint64_t holders = 0;  // slots that are held
  std::uint64_t waiters = 0;
};
// By the lock's file. Only locks of this machine that were looked at.
using PresentLocks = std::map<std::string, Present>;

// Runs `atmost list --json` on those locks of the history that are files here, and waits for its
// end. Empty if there is no such program.
PresentLocks look_at_present(const std::vector<Summary>& locks);

// What `atmost list --json` printed, a line a holder or waiter; `files`: the file that each name
// stands for. Lines that are no such object are left out.
PresentLocks present_of(std::string_view output, const std::map<std::string, std::string>& files);

}  // namespace atmost::report

#endif
