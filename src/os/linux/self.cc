#include "../self.h"

#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "../calls.h"
#include "../clock.h"
#include "../file.h"
#include "core/text.h"

// The start and end of the code, defined by the linker; absent with some linkers.
extern char __executable_start __attribute__((weak));
extern char etext __attribute__((weak));

namespace atmost::os {
namespace {

// The number of the time namespace whose clocks are the machine's (PROC_TIME_INIT_INO,
// linux/proc_ns.h).
constexpr std::string_view kMachinesTime = "time:[4026531834]";

// 0 when the boot clock is the machine's; else a number for the time namespace, whose boot clock is
// another.
std::uint64_t other_time() {
  char name[32];
  const ssize_t size = calls.readlink("/proc/self/ns/time", name, sizeof name);
  if (size <= 0) return 0;
  const std::string_view time(name, static_cast<std::size_t>(size));
  std::uint64_t hash = 0;
  for (char c : time) hash = hash * 31 + static_cast<unsigned char>(c);
  return time == kMachinesTime ? 0 : hash;
}

// Setting the wall clock changes the difference, for all alike; then the system is asked. Otherwise
// it differs only between those that do not have the boot clock in common.
bool is_ours(std::uint64_t real_less_boot_ns) {
  constexpr std::uint64_t kNear = 1'000'000;
  const Instant at = now();
  const std::uint64_t ours = static_cast<std::uint64_t>(at.real_ns - at.boot_ns);
  return ours - real_less_boot_ns + kNear <= 2 * kNear;
}

std::uint64_t read_boot(std::uint64_t expected, std::uint64_t real_less_boot_ns) {
  Fd file;
  if (open_to_read("/proc/sys/kernel/random/boot_id", file) != 0) return 0;
  char id[37];  // with its newline, which is its end
  std::size_t size = 0;
  if (read_at(file.get(), id, sizeof id, 0, size) != 0 || size < 32) return 0;
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a: the id is random already
  for (std::size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<unsigned char>(id[i])) * 0x100000001b3;
  if (hash != expected || !is_ours(real_less_boot_ns)) hash ^= other_time();
  return hash == 0 ? 1 : hash;
}

}  // namespace

std::uint64_t boot_hash(std::uint64_t expected, std::uint64_t real_less_boot_ns) {
  static std::uint64_t known = 0;
  std::uint64_t hash = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (hash != 0) return hash;
  hash = read_boot(expected, real_less_boot_ns);
  __atomic_store_n(&known, hash, __ATOMIC_RELAXED);
  return hash;
}

const bool kShedsMemory = true;

void shed_memory() {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto let_go = [page](std::uintptr_t begin, std::uintptr_t end) {
    begin = (begin + page - 1) / page * page;
    end = end / page * page;
    if (begin < end)
      (void)calls.madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  };
  let_go(reinterpret_cast<std::uintptr_t>(&__executable_start),
         reinterpret_cast<std::uintptr_t>(&etext));
  // The stack below this call's page and the next, where deeper calls have left data.
  constexpr std::uintptr_t kDeep = 128 * 1024;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  let_go(here - kDeep, here - page);
}

bool has_raised_rights() { return getauxval(AT_SECURE) != 0; }

bool program_path(PathText& to) {
  char path[PathText::capacity() + 1];
  const ssize_t size = calls.readlink("/proc/self/exe", path, sizeof path);
  if (size == static_cast<ssize_t>(sizeof path)) errno = ENAMETOOLONG;
  if (size <= 0 || size == static_cast<ssize_t>(sizeof path)) return false;
  to = PathText({path, static_cast<std::size_t>(size)});
  return true;
}

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
