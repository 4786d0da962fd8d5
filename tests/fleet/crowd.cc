#include "crowd.h"

#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>

namespace fleet_kit {
namespace {

constexpr double kBetweenStarts = 0.012;

}  // namespace

void Crowd::tend(bool refill) {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const std::optional<int> code = job->wait(0);
    if (code) ++codes_[*code];
    job = code ? jobs_.erase(job) : std::next(job);
  }
  const double now = seconds_now();
  if (!refill || jobs_.size() >= count_ || now < next_) return;
  next_ = now + kBetweenStarts;
  const Recipe recipe = recipe_(started_++);
  jobs_.emplace_back(recipe.line, recipe.before);
}

pid_t Crowd::any(unsigned random) const {
  return jobs_.empty() ? 0
                       : std::next(jobs_.begin(), static_cast<long>(random % jobs_.size()))->pid();
}

bool Crowd::has(pid_t group) const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [group](const Job& job) { return job.pid() == group; });
}

std::string Crowd::rest() const {
  std::string text;
  for (const Job& job : jobs_) {
    for (const pid_t pid : group_of(job.pid())) {
      const std::string process = "/proc/" + std::to_string(pid);
      text += std::to_string(job.pid()) + ": " + contents(process + "/stat").substr(0, 60) + " " +
              contents(process + "/wchan") + "\n";
    }
  }
  return text;
}

// Fields of /proc/PID/stat: the pid, a name in parentheses, a state, the parent, the group.
std::vector<pid_t> group_of(pid_t group) {
  std::vector<pid_t> all;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", gone)) {
    const int pid = atoi(entry.path().filename().c_str());
    if (pid <= 0) continue;
    const std::string stat = contents(entry.path().string() + "/stat");
    const std::size_t name = stat.rfind(')');
    char state = 0;
    int parent = 0, its_group = 0;
    if (name == std::string::npos ||
        sscanf(stat.c_str() + name + 1, " %c %d %d", &state, &parent, &its_group) != 3) {
      continue;
    }
    if (its_group == group && state != 'Z' && state != 'X') all.push_back(pid);
  }
  return all;
}

}  // namespace fleet_kit
