#include "../self.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "../calls.h"
#include "../clock.h"
#include "../file.h"

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

}  // namespace atmost::os
