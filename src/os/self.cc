#include "self.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "calls.h"
#include "clock.h"
#include "file.h"
#include "threads.h"

#ifdef ATMOST_OWN_PROCESS
#include <sys/auxv.h>
#endif
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

// Read once, so that a run names one host even if the machine is renamed meanwhile.
std::string_view kept_host_name() {
  static constinit Text<255> known;
  struct utsname names;
  if (known.empty() && calls.uname(&names) == 0) known.assign(names.nodename);
  return known;
}

#ifdef ATMOST_OWN_PROCESS
Text<255> host_name() { return Text<255>(kept_host_name()); }
#else
Text<255> host_name() {
  struct utsname names;
  return calls.uname(&names) == 0 ? Text<255>(names.nodename) : Text<255>();
}
#endif

namespace {

// Takes lines of the form name:password:number:… one byte at a time, however long they are.
class Finder {
 public:
  explicit Finder(std::uint32_t number) { number_.append_unsigned(number); }

  // True at the end of a line that has the number; name() is then the name in that line.
  bool take(char c) {
    if (c == '\n') return end_line();
    if (c == ':') {
      ++field_;
    } else if (field_ == 0) {
      name_.push(c);
    } else if (field_ == 2) {
      found_.push(c);
    }
    return false;
  }
  bool end_line() {
    const bool match =
        field_ >= 2 && !name_.empty() && !found_.truncated() && found_.view() == number_.view();
    if (match) return true;
    field_ = 0;
    name_ = {};
    found_ = {};
    return false;
  }
  const AccountName& name() const { return name_; }

 private:
  Text<20> number_;
  unsigned field_ = 0;
  AccountName name_;
  Text<20> found_;
};

AccountName find_account(const char* path, std::uint32_t number) {
  Fd file;
  if (open_to_read(path, file) != 0) return {};
  Finder finder(number);
  char buffer[4096];
  std::int64_t at = 0;
  for (;;) {
    std::size_t got = 0;
    if (read_at(file.get(), buffer, sizeof buffer, at, got) != 0) return {};
    for (std::size_t i = 0; i < got; ++i) {
      if (finder.take(buffer[i])) return finder.name();
    }
    if (got < sizeof buffer) break;
    at += static_cast<std::int64_t>(got);
  }
  return finder.end_line() ? finder.name() : AccountName{};  // the last line may lack its newline
}

}  // namespace

AccountName user_account(std::uint32_t user) { return find_account("/etc/passwd", user); }

AccountName group_account(std::uint32_t group) { return find_account("/etc/group", group); }

}  // namespace atmost::os
