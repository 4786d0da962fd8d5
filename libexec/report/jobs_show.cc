#include <ctime>

#include "core/words.h"
#include "history/line.h"
#include "jobs.h"
#include "json/json.h"
#include "reader/safe_text.h"
#include "stats_table.h"

namespace atmost::report {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// On a terminal the time since or until then; else a date in UTC.
std::string moment(std::int64_t at_ns, std::int64_t now_ns, bool terminal) {
  if (at_ns == 0) return {};
  if (terminal && at_ns > now_ns)
    return "in " + std::string(duration_words_up({at_ns - now_ns}).view());
  if (terminal) {
    const std::int64_t age = now_ns - at_ns;
    return std::string(duration_words({age - age % kSecond}).view()) + " ago";
  }
  return std::string(history::utc_words(at_ns).view());
}

std::string signal_words(const Run& run) {
  const Text<16> name = history::signal_name(run.exit);
  const bool named = !name.empty() && (name.view()[0] < '0' || name.view()[0] > '9');
  return (named ? "SIG" : "signal ") + std::string(name.view());
}

std::string result_words(const std::optional<Run>& run) {
  if (!run) return {};
  switch (run->status) {
    case RunStatus::running:
      return {};
    case RunStatus::success:
      return "success";
    case RunStatus::killed:
      return run->was_replaced() ? "replaced" : "killed";
    case RunStatus::unseen:
      return "no end";
    case RunStatus::failure:
      break;
  }
  if (run->unstarted) return "not started";
  if (run->by_signal) return signal_words(*run);
  return run->exit == 0 ? "too fast" : "exit " + std::to_string(run->exit);
}

std::string took_words(const Job& job) {
  const bool known = job.last && job.last->status != RunStatus::unseen && !job.last->unstarted;
  return known ? span_words(job.last->ran_ns) : std::string();
}

std::string now_words(const Job& job) {
  std::string to;
  const auto join = [&to](const std::string& more) { to += (to.empty() ? "" : ", ") + more; };
  if (job.running > 0)
    join(job.running == 1 ? "running" : std::to_string(job.running) + " running");
  if (job.of != nullptr && job.of->story->spam_rule.goes_on()) join("spam");
  if (!job.present) return to;
  if (job.present->waiters > 0) join(std::to_string(job.present->waiters) + " waiting");
  if (job.present->drained) join("drained");
  return to;
}

}  // namespace

std::string jobs_table(const std::vector<Job>& jobs, std::int64_t now_ns,
                       const history::Paper& paper) {
  const std::vector<history::Column> columns = {
      {"LOCK", true, true},         {"STARTED", false, true},
      {"RESULT", true, true},       {"SUCCESS", false, false, 3},
      {"TOOK", false, false, 1},    {"USUALLY", false, false, 2},
      {"REFUSED", false, false, 4}, {"NOW", true},
      {"NEXT", true, false, 5}};
  std::vector<history::Row> rows;
  for (const Job& job : jobs) {
    rows.push_back({history::escaped(job.name), moment(job.last_start_ns, now_ns, paper.terminal),
                    result_words(job.last), moment(job.last_success_ns, now_ns, paper.terminal),
                    took_words(job), job.usually_ns == 0 ? "" : span_words(job.usually_ns),
                    job.refused == 0 ? "" : std::to_string(job.refused), now_words(job),
                    moment(job.next_ns, now_ns, paper.terminal)});
  }
  return history::table(columns, rows, paper);
}

std::string job_json(const Job& job) {
  json::Object to;
  to.text("lock", job.name).text("path", job.path);
  const auto moment = [&to](const char* name, std::int64_t at_ns) {
    if (at_ns != 0) to.time(name, at_ns);
  };
  moment("last_start", job.last_start_ns);
  if (const std::optional<Run>& last = job.last; last) {
    to.text("last_result",
            last->was_replaced() ? "replaced" : kFateNames[static_cast<std::size_t>(last->status)]);
    if (last->status != RunStatus::unseen) {
      moment("last_end", last->end_ns());
      if (last->by_signal) {
        to.text("signal", history::signal_name(last->exit).view());
      } else {
        to.number("exit", std::uint64_t{last->exit});
      }
      if (last->unstarted) to.truth("started", false);
      if (last->too_fast) to.truth("too_fast", true);
      if (!last->unstarted) to.time("took_s", last->ran_ns);
    }
  }
  moment("last_success", job.last_success_ns);
  if (job.usually_ns != 0) to.time("usually_s", job.usually_ns);
  to.number("refused", job.refused).number("running", job.running);
  if (job.of != nullptr && job.of->story->spam_rule.goes_on()) to.truth("spam", true);
  if (job.present) {
    to.number("waiting", job.present->waiters);
    to.truth("drained", job.present->drained);
  }
  moment("next", job.next_ns);
  return to.str();
}

}  // namespace atmost::report
