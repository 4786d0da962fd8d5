#include "self.h"

#include <stdlib.h>
#ifdef ATMOST_OWN_PROCESS
#include <sys/auxv.h>
#endif
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "calls.h"
#include "clock.h"
#include "threads.h"

extern "C" char** environ;

namespace atmost::os {

#ifdef ATMOST_OWN_PROCESS
// Both without a system call: the C library stores the number, the kernel passed the user at the
// start.
std::int64_t process_id() { return calls.thread_id(); }

void remember_process_id() {}

std::uint32_t user_id() { return static_cast<std::uint32_t>(getauxval(AT_EUID)); }
#else
namespace {

// On a page that the kernel clears in a forked child, however it was forked.
std::int64_t* remembered = nullptr;

}  // namespace

std::int64_t process_id() {
  if (remembered == nullptr) return calls.getpid();
  std::int64_t id = __atomic_load_n(remembered, __ATOMIC_RELAXED);
  if (id == 0) {
    id = calls.getpid();
    __atomic_store_n(remembered, id, __ATOMIC_RELAXED);
  }
  return id;
}

void remember_process_id() {
#ifdef MADV_WIPEONFORK
  void* page = pages(sizeof *remembered);
  if (page == nullptr) return;
  const auto whole = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (calls.madvise(page, whole, MADV_WIPEONFORK) == 0)
    remembered = static_cast<std::int64_t*>(page);
#endif
}

std::uint32_t user_id() { return calls.geteuid(); }
#endif

std::int64_t parent_id() { return calls.getppid(); }

char* const* environment() { return environ; }

// As getenv, which calls a function for each variable that there is.
const char* variable(const char* name) {
  for (char** each = ::environ; each != nullptr && *each != nullptr; ++each) {
    const char* at = *each;
    const char* wanted = name;
    while (*wanted != '\0' && *at == *wanted) ++at, ++wanted;
    if (*wanted == '\0' && *at == '=') return at + 1;
  }
  return nullptr;
}

const char* working_directory(Arena& texts) {
  char path[PathText::capacity() + 1];
  if (calls.getcwd(path, sizeof path) == nullptr) return nullptr;
  TextView kept;
  return texts.keep(path, kept) ? kept.c_str() : nullptr;
}

std::uint64_t descriptor_limit() {
  struct rlimit limit;
  if (calls.getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return UINT64_MAX;
  return limit.rlim_cur;
}

std::uint32_t scatter() {
  const std::uint64_t mixed = static_cast<std::uint64_t>(boot_ns()) * 0x9e3779b97f4a7c15;
  return static_cast<std::uint32_t>(mixed >> 32);
}

}  // namespace atmost::os
