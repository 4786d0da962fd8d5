#include "jobs.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <set>

#include "core/parse.h"
#include "core/words.h"
#include "history/log.h"
#include "json/json.h"
#include "reader/output.h"
#include "stats_table.h"

namespace atmost::report {
namespace {

namespace fs = std::filesystem;

// The log has the moment at which an admission was logged; the lock file has that of its decision.
constexpr std::int64_t kSameStart = 1'000'000'000;

std::optional<Run> last_ended(const LockStory& story) {
  const Run* last = nullptr;
  for (const Run& run : story.runs) {
    if (run.status == RunStatus::running) continue;
    if (last == nullptr || run.end_ns() >= last->end_ns()) last = &run;
  }
  return last != nullptr ? std::optional<Run>(*last) : std::nullopt;
}

Job logged_job(const Summary& of) {
  Job job;
  job.name = of.story->name;
  job.path = of.story->path;
  job.of = &of;
  job.last = last_ended(*of.story);
  job.last_start_ns = of.last_start_ns;
  job.last_success_ns = of.last_success_ns;
  job.usually_ns = of.p50_ns;
  job.running = of.fates[static_cast<std::size_t>(RunStatus::running)];
  job.next_ns = of.story->next_ns;
  return job;
}

// The kernel has no holder, so the last logged run is over, and no process was left to log its end.
void end_unseen(Job& job) {
  if (job.of == nullptr || job.running > 0 || job.of->story->runs.empty()) return;
  const Run& latest = job.of->story->runs.back();  // they are in the order of their starts
  if (latest.status != RunStatus::running) return;
  job.last = latest;
  job.last->status = RunStatus::unseen;
}

void look_at_file(Job& job, const Instant& now, std::vector<Error>& complaints) {
  if (!is_plain_file(job.path)) return;
  const Result<Present> found = look_at(job.path, now);
  if (!found.ok()) {
    complaints.push_back(found.error());
    return;
  }
  job.present = found.value();
  job.running = job.present->holders;
  end_unseen(job);
  if (job.present->start_ns <= job.last_start_ns + kSameStart) return;
  job.last_start_ns = job.present->start_ns;
  job.next_ns = 0;
}

void count_refusals(Job& job) {
  if (job.of == nullptr) return;
  for (const Mark& mark : job.of->story->marks) {
    if (mark.kind != Mark::Kind::takeover && mark.at_ns > job.last_start_ns) ++job.refused;
  }
}

// Adds lock files that are not in the log.
void add_files(const history::Sources& sources, std::vector<Job>& jobs) {
  std::error_code ignored;
  std::set<std::string> known;
  const fs::path directory = fs::weakly_canonical(sources.directory, ignored);
  for (const Job& job : jobs) {
    const fs::path path(job.path);
    if (path.parent_path() == sources.directory ||
        fs::weakly_canonical(path.parent_path(), ignored) == directory)
      known.insert(path.filename());
  }
  for (const auto& entry : fs::directory_iterator(sources.directory, ignored)) {
    const std::string file = entry.path().filename();
    if (!file.ends_with(".lock") || known.contains(file)) continue;
    Job job;
    job.name = readable_name(file, sources.host).view();
    job.path = entry.path();
    jobs.push_back(std::move(job));
  }
}

}  // namespace

bool Job::failed() const {
  return last.has_value() && (last->status == RunStatus::failure ||
                              (last->status == RunStatus::killed && !last->replaced));
}

std::vector<Job> jobs_of(const std::vector<Summary>& logged, const history::Sources& sources,
                         bool look, const Instant& now, std::vector<Error>& complaints) {
  std::vector<Job> jobs;
  for (const Summary& of : logged) jobs.push_back(logged_job(of));
  if (look && !sources.directory.empty()) add_files(sources, jobs);
  for (const history::WantedLock& wanted : sources.locks) {
    if (!look || wanted.seen || !wanted.used) continue;
    Job job;
    job.name = wanted.asked;
    job.path = wanted.paths.front();
    jobs.push_back(std::move(job));
  }
  for (Job& job : jobs) {
    if (look) look_at_file(job, now, complaints);
    count_refusals(job);
    if (job.next_ns <= now.real_ns) job.next_ns = 0;
  }
  // A start that the clock has not reached was recorded while the clock was wrong.
  const auto rank = [&now](const Job& job) {
    return job.last_start_ns <= now.real_ns ? job.last_start_ns : 0;
  };
  std::sort(jobs.begin(), jobs.end(), [&rank](const Job& one, const Job& other) {
    if (rank(one) != rank(other)) return rank(one) > rank(other);
    return one.name < other.name;
  });
  return jobs;
}

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
  if (!job.present->limit.empty()) join("limit " + job.present->limit);
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
    if (!job.present->limit.empty()) to.text("limit", job.present->limit);
  }
  moment("next", job.next_ns);
  return to.str();
}

}  // namespace atmost::report
