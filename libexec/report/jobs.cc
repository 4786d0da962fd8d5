#include "jobs.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/parse.h"

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

}  // namespace atmost::report
