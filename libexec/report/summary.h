// One lock in numbers, for programs (`atmost stats --json`), and in a sentence.
#ifndef ATMOST_LIBEXEC_REPORT_SUMMARY_H
#define ATMOST_LIBEXEC_REPORT_SUMMARY_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/outcome.h"
#include "ledger.h"
#include "statistics.h"

namespace atmost::report {

struct Summary {
  const LockStory* story = nullptr;

  std::uint64_t runs = 0;
  std::array<std::uint64_t, kFates> fates{};  // by RunStatus
  std::uint64_t takeovers = 0;                // holders that a newcomer stopped
  std::uint64_t too_soon = 0;
  std::uint64_t busy = 0;
  std::array<std::uint64_t, std::size(kWhyNames)> busy_why{};
  std::uint64_t spam = 0;
  std::uint64_t replaced = 0;  // of the killed: those that --on-busy=replace stopped
  std::uint64_t too_fast = 0;  // runs that were successful suspiciously soon

  std::uint64_t waits = 0;  // admissions and refusals after a wait of at least 1 ms
  std::int64_t waited_ns = 0;
  std::int64_t waited_p99_ns = 0;
  std::int64_t waited_max_ns = 0;

  std::vector<std::int64_t> times;  // of the runs that finished by themselves, ns, ascending
  std::int64_t p50_ns = 0, p90_ns = 0, p99_ns = 0, max_ns = 0;
  double total_s = 0;  // of those
  Trend trend;         // unknown also where half of the runs take less than a tenth of a second
  LevelChange level;

  double window_s = 0;           // from the first line about the lock to the last line of the logs
  double held_share = 0;         // the part of it in which a slot was held
  double slots_mean = 0;         // the slots that were held on average
  std::uint64_t slots_most = 0;  // and at most at once

  std::int64_t last_start_ns = 0;    // 0: none
  std::int64_t last_success_ns = 0;  // the end of the last success

  std::uint64_t refusals() const { return too_soon + busy; }
  std::uint64_t failed() const { return fates[static_cast<std::size_t>(RunStatus::failure)]; }
  std::uint64_t killed() const { return fates[static_cast<std::size_t>(RunStatus::killed)]; }
  // A measure of the lock's trouble. A refusal as too soon, and a run that the next one replaced,
  // happen on purpose and count nothing.
  std::uint64_t trouble() const { return 10 * (killed() - replaced) + 3 * failed() + busy + spam; }
};

// REQUIRES: the ledger is closed; it has to outlive the summaries.
Summary summarise(const LockStory& story, std::int64_t log_end_ns);

// All locks: the most trouble first, then the most runs, then by name.
std::vector<Summary> summarise(const RunLedger& ledger);

// One object, without a newline. Unknown values are left out.
std::string summary_json(const Summary& summary);

// At most two findings, the worst first, in plain words without any name from the log; empty if
// nothing went wrong.
std::string verdict_on(const Summary& lock);

}  // namespace atmost::report

#endif
