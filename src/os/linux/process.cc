#include "../process.h"

#include <elf.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "../calls.h"
#include "../file.h"
#include "../locks.h"
#include "../self.h"
#include "core/text.h"
#include "proc_files.h"

namespace atmost::os {
namespace {

// Shows the lock lines of an fdinfo file until the visitor has enough. Lines longer than the buffer
// are skipped.
template <class Visit>
int each_line(const char* path, bool (*parse)(std::string_view line, LockLine& to), Visit visit) {
  Fd file;
  if (const int error = open_to_read(path, file)) return error;
  char buffer[4096];
  std::size_t filled = 0;
  for (;;) {
    const ssize_t got = read_some(file.get(), buffer + filled, sizeof buffer - filled);
    if (got <= 0) return 0;
    filled += static_cast<std::size_t>(got);
    std::size_t start = 0;
    for (;;) {
      const std::string_view rest(buffer + start, filled - start);
      const std::size_t end = rest.find('\n');
      if (end >= rest.size()) break;
      LockLine line;
      if (parse({rest.data(), end}, line) && !visit(line)) return 0;
      start += end + 1;
    }
    filled -= start;
    std::memmove(buffer, buffer + start, filled);
    if (filled == sizeof buffer) filled = 0;
  }
}

// The reason for which /proc shows nothing of a process: it has ended, or /proc hides it (the mount
// option hidepid). Only kill(2) distinguishes the two.
int unseen(std::int64_t pid) { return pid > 0 && process_exists(pid) ? EACCES : ESRCH; }

// Finds descriptors of a process that lead to the file and hold a lock that `wanted` accepts. The
// line's device is the filesystem's, which differs from fstat's on btrfs and overlay, so the file
// itself is examined. Only where a lock was found: a file on a dead network mount would block us,
// but has no such lock.
class Search {
 public:
  Search(std::int64_t pid, std::uint64_t device, std::uint64_t inode,
         bool (*parse)(std::string_view line, LockLine& to) = parse_lock_line)
      : pid_(pid), device_(device), inode_(inode), parse_(parse) {}

  // Calls found(path of an fdinfo file) for each descriptor of the file with a wanted lock, until
  // it answers false.
  template <class Wanted, class Found>
  Holding run(Wanted wanted, Found found) {
    if (!own_numbers()) return Holding::unreadable;
    bool any = false;
    const Holding result = run_in(pid_, wanted, found, any);
    if (any || result != Holding::no) return result;
    // Once its main thread has ended, a process shows its descriptors below its other threads.
    Numbers threads;
    if (threads.open(proc_path(pid_, "/task").c_str()) != 0) return result;
    for (std::int64_t thread; threads.next(thread);) {
      if (thread == pid_) continue;
      const Holding seen = run_in(thread, wanted, found, any);
      if (any || seen != Holding::no) return seen;
    }
    return result;
  }

 private:
  // `any`: the thread has a descriptor.
  template <class Wanted, class Found>
  Holding run_in(std::int64_t thread, Wanted& wanted, Found& found, bool& any) {
    Numbers descriptors;
    if (const int error = descriptors.open(proc_path(thread, "/fdinfo").c_str())) {
      const bool ended = error == ESRCH || (error == ENOENT && unseen(thread) == ESRCH);
      return ended ? Holding::no : Holding::unreadable;
    }
    Holding result = Holding::no;
    for (std::int64_t fd; descriptors.next(fd);) {
      any = true;
      const Text<63> info = proc_path(thread, Text<63>("/fdinfo/").append_signed(fd));
      bool locked = false;
      const int error = each_line(info.c_str(), parse_,
                                  [&](const LockLine& line) { return !(locked = wanted(line)); });
      if (error != 0 && error != ENOENT && error != ESRCH && result == Holding::no)
        result = Holding::unreadable;
      if (!locked) continue;
      struct stat file;
      if (calls.stat(proc_path(thread, Text<63>("/fd/").append_signed(fd)).c_str(), &file) != 0) {
        if ((errno == EACCES || errno == EPERM) && result == Holding::no)
          result = Holding::unreadable;
      } else if (static_cast<std::uint64_t>(file.st_dev) == device_ &&
                 static_cast<std::uint64_t>(file.st_ino) == inode_) {
        result = Holding::yes;
        if (!found(info.c_str())) return result;
      }
    }
    return result;
  }

  std::int64_t pid_;
  std::uint64_t device_;
  std::uint64_t inode_;
  bool (*parse_)(std::string_view line, LockLine& to);
};

}  // namespace

int process_facts(std::int64_t pid, ProcessFacts& to) {
  if (!own_numbers()) return ENOSYS;
  Fd file;
  const int error = open_to_read(proc_path(pid, "/stat").c_str(), file);
  if (error == ENOENT) {
    struct stat self;
    return calls.stat("/proc/self/stat", &self) == 0 ? unseen(pid) : ENOSYS;
  }
  if (error != 0) return error == EPERM ? EACCES : error;  // EPERM: hidepid=1
  // The kernel writes some 350 bytes, at most 1,500 if every number were as long as it can be.
  char text[2048];
  const ssize_t size = read_some(file.get(), text, sizeof text);
  if (size < 0) return errno;  // ESRCH: it ended after the open
  return parse_process_stat({text, static_cast<std::size_t>(size)}, to) ? 0 : EIO;
}

int process_words(std::int64_t pid, char* to, std::size_t size, std::size_t& got) {
  if (!own_numbers()) return ENOSYS;
  Fd file;
  if (const int error = open_to_read(proc_path(pid, "/cmdline").c_str(), file)) return error;
  const ssize_t read = read_some(file.get(), to, size);
  got = read < 0 ? 0 : static_cast<std::size_t>(read);
  return read < 0 ? errno : 0;
}

int process_credentials(std::int64_t pid, Credentials& to) {
  if (!own_numbers()) return ENOSYS;
  Fd file;
  const int error = open_to_read(proc_path(pid, "/status").c_str(), file);
  if (error != 0) return error == ENOENT ? unseen(pid) : error;
  // The ids stand among the first ten lines, behind a name of at most 64 bytes, newlines in it
  // escaped.
  char text[2048];
  const ssize_t size = read_some(file.get(), text, sizeof text);
  if (size < 0) return errno;
  return parse_process_ids({text, static_cast<std::size_t>(size)}, to) ? 0 : EIO;
}

bool is_pending(std::int64_t pid, int signal) {
  char room[kStatusRoom];
  std::string_view text;
  if (!own_numbers() || read_proc(proc_path(pid, "/status").c_str(), room, sizeof room, text) != 0)
    return false;
  return (signal_set(text, "\nShdPnd:\t") >> (signal - 1) & 1) != 0;
}

bool started_by(std::int64_t pid, std::uint32_t user) {
  Fd file;
  if (!own_numbers() || open_to_read(proc_path(pid, "/auxv").c_str(), file) != 0) return false;
  unsigned long entries[128];  // the kernel gives some 25 pairs, and ends them with AT_NULL
  const ssize_t size = read_some(file.get(), reinterpret_cast<char*>(entries), sizeof entries);
  bool real = false;
  bool effective = false;
  bool plain = false;
  for (std::size_t i = 0; size > 0 && (i + 2) * sizeof *entries <= static_cast<std::size_t>(size);
       i += 2) {
    if (entries[i] == AT_UID) real = entries[i + 1] == user;
    if (entries[i] == AT_EUID) effective = entries[i + 1] == user;
    if (entries[i] == AT_SECURE) plain = entries[i + 1] == 0;
  }
  return real && effective && plain;
}

Holding holds_byte(std::int64_t pid, std::uint64_t device, std::uint64_t inode, std::int64_t byte) {
  LockLine line;
  return find_lock(pid, device, inode, byte, line);
}

Holding find_lock(std::int64_t pid, std::uint64_t device, std::uint64_t inode, std::int64_t byte,
                  LockLine& to) {
  const auto wanted = [&](const LockLine& line) {
    to = line;
    return line.write && line.covers(byte);
  };
  return Search(pid, device, inode).run(wanted, [](const char*) { return false; });
}

Holding each_lock(std::int64_t pid, std::uint64_t device, std::uint64_t inode,
                  LockLineVisitor& visitor) {
  return Search(pid, device, inode)
      .run([](const LockLine&) { return true; },
           [&visitor](const char* info) {
             (void)each_line(info, parse_lock_line, [&visitor](const LockLine& line) {
               visitor.lock(line);
               return true;
             });
             return true;
           });
}

Holding holds_flock(std::int64_t pid, std::uint64_t device, std::uint64_t inode) {
  return Search(pid, device, inode, parse_flock_line)
      .run([inode](const LockLine& line) { return line.inode == inode; },
           [](const char*) { return false; });
}

int each_flock(FlockVisitor& visitor) {
  return each_line("/proc/locks", parse_flock_line,
                   [&visitor](const LockLine& line) { return visitor.flock(line); });
}

bool is_about(const LockLine& line, std::uint64_t device, std::uint64_t inode) {
  if (line.inode != inode) return false;
  if (static_cast<std::uint64_t>(makedev(line.device_major, line.device_minor)) == device)
    return true;
  return holds_flock(line.pid, device, inode) == Holding::yes;
}

bool ProcessHandle::means(std::int64_t pid) const {
  Fd file;
  if (open_to_read(Text<63>("/proc/self/fdinfo/").append_signed(fd_.get()).c_str(), file) != 0)
    return false;
  // proc_pid_fdinfo(5) of a pidfd: a handful of lines, "Pid:" with the number in the namespace of
  // this /proc.
  char text[512];
  const ssize_t size = read_some(file.get(), text, sizeof text);
  if (size <= 0) return false;
  const std::string_view all(text, static_cast<std::size_t>(size));
  return all.find(Text<63>("\nPid:\t").append_signed(pid).append("\n").view()) < all.size();
}

int each_process(ProcessVisitor& visitor) {
  if (!own_numbers()) return ENOSYS;
  Numbers pids;
  if (const int error = pids.open("/proc")) return error == ENOENT ? ENOSYS : error;
  bool seen = false;
  for (std::int64_t pid; pids.next(pid);) {
    seen = true;
    ProcessFacts facts;
    if (process_facts(pid, facts) == 0 && !visitor.process(pid, facts)) return 0;
  }
  return seen ? 0 : ENOSYS;
}

bool process_label(std::int64_t pid, ProcessLabel& to) {
  Text<63> path("/proc/");
  path.append_signed(pid);
  struct stat status;
  if (path_status(path.c_str(), status, true) != 0) return false;
  to.user = status.st_uid;
  path.append("/comm");
  Fd file;
  char name[64];
  std::size_t size = 0;
  if (open_to_read(path.c_str(), file) != 0 || read_at(file.get(), name, sizeof name, 0, size) != 0)
    return false;
  if (size > 0 && name[size - 1] == '\n') --size;
  to.name = Text<63>(std::string_view(name, size));
  return true;
}

}  // namespace atmost::os
