// atmost jobs: a line for each lock.
#include "jobs.h"
#include "ledger.h"
#include "os/clock.h"
#include "reader/output.h"
#include "reader/sources.h"

namespace atmost::report {
namespace {

constexpr char kUsage[] =
    "usage: atmost jobs [OPTION]... [LOCK]...\n\n"
    "a line for each lock: last start, last result, what it does now\n\n"
    "      --failed          only locks whose last run failed or was stopped\n"
    "      --json            one JSON object a line for each lock\n";

int run_jobs(int argc, char** argv) {
  enum Long : int { kFailed = history::kOwnOptions, kJson };
  const Instant now = os::now();
  bool failed = false;
  bool json = false;
  history::Selection selection;
  if (history::read_selection(
          argc, argv,
          {"atmost jobs",
           kUsage,
           "",
           {{"failed", no_argument, nullptr, kFailed}, {"json", no_argument, nullptr, kJson}}},
          now.real_ns, selection,
          [&](int letter, const char*) { (letter == kFailed ? failed : json) = true; }))
    return 0;
  RunLedger ledger;
  // Another machine's log may name files that are other locks here.
  const bool look = selection.logs.empty();
  if (selection.logs.size() > 1) ledger.tell_hosts_apart();
  const history::ReadThrough read =
      history::read_whole(selection, [&](const history::Record& record) { ledger.take(record); });
  ledger.close();
  const std::vector<Summary> logged = summarise(ledger);
  std::vector<Error> complaints;
  std::vector<Job> jobs = jobs_of(logged, read.sources, look, now, complaints);
  if (failed) std::erase_if(jobs, [](const Job& job) { return !job.failed(); });
  std::string text;
  if (json) {
    for (const Job& job : jobs) text.append(job_json(job)).push_back('\n');
  } else if (!jobs.empty()) {
    text = jobs_table(jobs, now.real_ns, history::look_at_paper());
  }
  int code = history::print(text);
  for (const Error& error : complaints) {
    history::complain(std::string(error.message.view()));
    code = static_cast<int>(error.code);
  }
  return code;
}

}  // namespace
}  // namespace atmost::report

int main(int argc, char** argv) {
  return atmost::history::run_guarded(atmost::report::run_jobs, argc, argv);
}
