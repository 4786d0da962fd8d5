#include "../self.h"

#include <sched.h>

#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "../calls.h"
#include "../file.h"
#include "core/text.h"

namespace atmost::os {
namespace {

constexpr std::uint64_t kNone = UINT64_MAX;
// Where distributions and containers mount control groups; cgroups(7).
constexpr std::string_view kUnified = "/sys/fs/cgroup";
constexpr std::string_view kLegacy = "/sys/fs/cgroup/cpu";

// The beginning of a small file; empty if it cannot be read.
template <std::size_t N>
std::string_view content(const char* path, char (&to)[N]) {
  Fd file;
  std::size_t got = 0;
  if (open_to_read(path, file) != 0 || read_at(file.get(), to, N, 0, got) != 0) return {};
  return {to, got};
}

// The number at the beginning, which is left out then; kNone if there is none ("max", -1).
std::uint64_t take_number(std::string_view& text) {
  std::uint64_t value = kNone;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    value = (value == kNone ? 0 : value * 10) + static_cast<std::uint64_t>(text[0] - '0');
    text.remove_prefix(1);
  }
  return value;
}

std::uint64_t whole(std::uint64_t quota, std::uint64_t period) {
  if (quota == kNone || period == kNone || period == 0) return kNone;
  return quota / period > 0 ? quota / period : 1;
}

std::uint64_t number_in(std::string_view directory, std::string_view name) {
  PathText path;
  char text[32];
  std::string_view read = content(path.append(directory).append(name).c_str(), text);
  return take_number(read);
}

// "QUOTA PERIOD" or "max PERIOD", in microseconds.
std::uint64_t unified_limit(std::string_view directory) {
  PathText path;
  char text[64];
  std::string_view read = content(path.append(directory).append("/cpu.max").c_str(), text);
  const std::uint64_t quota = take_number(read);
  if (quota == kNone || read.empty()) return kNone;
  read.remove_prefix(1);
  return whole(quota, take_number(read));
}

std::uint64_t legacy_limit(std::string_view directory) {
  return whole(number_in(directory, "/cpu.cfs_quota_us"),
               number_in(directory, "/cpu.cfs_period_us"));
}

// The least limit of a group and of those above it, up to the root of the mount.
std::uint64_t least_limit(std::string_view root, std::string_view group,
                          std::uint64_t (*limit_of)(std::string_view)) {
  PathText path(root);
  if (group != "/") path.append(group);
  std::string_view directory = path;
  std::uint64_t least = kNone;
  while (directory.size() >= root.size()) {
    const std::uint64_t one = limit_of(directory);
    if (one < least) least = one;
    directory = {directory.data(), directory.rfind('/')};
  }
  return least;
}

bool names_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::size_t end = controllers.find(',');
    const std::size_t size = end == controllers.npos ? controllers.size() : end;
    if (std::string_view(controllers.data(), size) == "cpu") return true;
    controllers.remove_prefix(end == controllers.npos ? size : size + 1);
  }
  return false;
}

// A line of /proc/PID/cgroup: NUMBER:CONTROLLERS:GROUP; without controllers it is of the unified
// hierarchy.
std::uint64_t limit_by(std::string_view line) {
  const std::size_t first = line.find(':');
  const std::size_t second = first == line.npos ? first : line.find(':', first + 1);
  if (second == line.npos) return kNone;
  const std::string_view controllers(line.data() + first + 1, second - first - 1);
  line.remove_prefix(second + 1);
  if (controllers.empty()) return least_limit(kUnified, line, unified_limit);
  return names_cpu(controllers) ? least_limit(kLegacy, line, legacy_limit) : kNone;
}

}  // namespace

std::uint32_t processors() {
  char text[4096];
  std::string_view groups = content("/proc/self/cgroup", text);
  std::uint64_t least = calls.processors();
  while (!groups.empty()) {
    const std::size_t end = groups.find('\n');
    const std::size_t size = end == groups.npos ? groups.size() : end;
    const std::uint64_t one = limit_by({groups.data(), size});
    if (one < least) least = one;
    groups.remove_prefix(end == groups.npos ? size : size + 1);
  }
  return static_cast<std::uint32_t>(least);
}

}  // namespace atmost::os
