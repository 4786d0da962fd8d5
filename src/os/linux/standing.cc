#include "../standing.h"

#include <signal.h>

#include <cerrno>

#include "../activity.h"
#include "core/parse.h"
#include "proc_files.h"

namespace atmost::os {
namespace {

// A look at more would take longer than the answer is worth.
constexpr int kMostDescriptors = 1024;

// The kernel's function that a thread sleeps in (proc(5), wchan). The compiler may have added a
// suffix behind a dot.
bool sleeps_in(std::string_view place, std::string_view function) {
  const std::size_t dot = place.find('.');
  return std::string_view(place.data(), dot < place.size() ? dot : place.size()) == function;
}

constexpr std::uint64_t set_of(int signal) { return std::uint64_t{1} << (signal - 1); }

// Signals that no timer sends.
constexpr std::uint64_t kFromOthers =
    set_of(SIGCHLD) | set_of(SIGHUP) | set_of(SIGINT) | set_of(SIGQUIT) | set_of(SIGTERM);

// Shells wait so for their jobs. A program with a timer would go on by itself.
bool waits_for_no_timer(std::int64_t pid) {
  char room[kStatusRoom];
  std::string_view text;
  if (read_proc(proc_path(pid, "/status").c_str(), room, sizeof room, text) != 0) return false;
  const std::uint64_t handled = signal_set(text, "\nSigCgt:\t");
  return (handled & set_of(SIGCHLD)) != 0 && (handled & ~kFromOthers) == 0;
}

bool waits_for_children(std::int64_t pid) {
  char room[128];
  std::string_view place;
  if (read_proc(proc_path(pid, "/wchan").c_str(), room, sizeof room, place) != 0) return false;
  if (sleeps_in(place, "do_wait") || sleeps_in(place, "kernel_wait4")) return true;
  const bool suspended =
      sleeps_in(place, "sigsuspend") || sleeps_in(place, "__do_sys_rt_sigsuspend");
  return suspended && waits_for_no_timer(pid);
}

}  // namespace

int standing_of(std::int64_t pid, Standing& to) {
  if (const int error = process_facts(pid, to.facts)) return error;
  to.atmost = runs_atmost(pid, to.facts);
  const bool asleep = to.facts.state == 'S' && to.facts.threads == 1;
  to.rests = asleep && !to.atmost && waits_for_children(pid) && cpu_of(pid, to.cpu_ns);
  return 0;
}

int children_of(std::int64_t pid, std::span<std::int64_t> to, std::size_t& count) {
  count = 0;
  char room[4096];
  std::string_view left;
  Text<63> file = proc_path(pid, "/task/");
  file.append_signed(pid).append("/children");
  if (const int error = read_proc(file.c_str(), room, sizeof room, left)) return error;
  if (left.size() == sizeof room) return ENOSPC;
  while (!left.empty()) {
    const std::size_t blank = left.find(' ');
    const std::size_t size = blank < left.size() ? blank : left.size();
    const Result<std::uint64_t> number = parse_count({left.data(), size}, 1, INT32_MAX);
    left.remove_prefix(size < left.size() ? size + 1 : size);
    if (!number.ok()) return EIO;
    if (count == to.size()) return ENOSPC;
    to[count++] = static_cast<std::int64_t>(number.value());
  }
  return 0;
}

int each_locked_file(std::int64_t pid, LockedFileVisitor& visitor) {
  if (!own_numbers()) return ENOSYS;
  Numbers descriptors;
  if (const int error = descriptors.open(proc_path(pid, "/fdinfo").c_str())) return error;
  int left = kMostDescriptors;
  for (std::int64_t fd; left > 0 && descriptors.next(fd); --left) {
    char room[4096];
    std::string_view text;
    const Text<63> info = proc_path(pid, Text<63>("/fdinfo/").append_signed(fd));
    if (read_proc(info.c_str(), room, sizeof room, text) != 0) continue;
    const Text<63> link = proc_path(pid, Text<63>("/fd/").append_signed(fd));
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      const std::size_t size = end < text.size() ? end : text.size();
      LockLine line;
      if (parse_lock_line({text.data(), size}, line) && !visitor.locked(link.c_str(), line))
        return 0;
      text.remove_prefix(size < text.size() ? size + 1 : size);
    }
  }
  return 0;
}

}  // namespace atmost::os
