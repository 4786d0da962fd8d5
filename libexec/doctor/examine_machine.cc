// The doctor's checks of the machine, for every directory.
#include <cerrno>

#include "core/words.h"
#include "examination.h"
#include "message.h"
#include "os/file.h"
#include "os/locks.h"
#include "os/process.h"
#include "os/self.h"
#include "os/watch.h"

namespace atmost::doctor {
namespace {

void examine_build() {
  if (os::has_description_locks()) return;
  send({Level::doubtful, "build", "made for any POSIX system: locks belong to processes",
        "a slot ends with its own process, waiting polls, nobody else's processes can be seen",
        "build it for Linux where it runs on Linux"});
}

void examine_boot() {
  if (os::boot_hash() != 0) {
    report_good("boot-id", "can be read: what an earlier boot left behind is recognised");
  } else {
    send({Level::doubtful, "boot-id", "cannot be read (/proc/sys/kernel/random/boot_id)",
          "ages are measured by the wall clock and every refusal asks the kernel about every slot",
          "mount /proc"});
  }
}

void examine_processes() {
  os::ProcessFacts facts;
  if (os::process_facts(os::process_id(), facts) != 0 || facts.start_boot_ns == 0) {
    send({Level::doubtful, "proc", "/proc shows no processes",
          "holders cannot be proven, listed or stopped", "mount /proc"});
  } else if (os::process_facts(1, facts) == EACCES) {
    send({Level::doubtful, "proc", "/proc hides the processes of other users (hidepid)",
          "this user's commands cannot name or stop holders that other users started; locks hold",
          "mount /proc with gid= of a group that this user is in, if they shall be seen"});
  } else {
    report_good("proc", "/proc shows processes");
  }
  os::ProcessHandle self;
  if (const int error = self.open(os::process_id())) {
    send({Level::doubtful, "pidfd", "there are none: " + std::string(errno_words(error)),
          "no holder is ever stopped without one, a recycled pid could be hit",
          "Linux 5.3 or later has them; a container's filter may forbid them"});
  } else {
    report_good("pidfd", "processes can be named without mistaking one for another");
  }
}

void examine_events() {
  os::Watch watch;
  watch.start("/");
  if (watch.sees()) {
    report_good("inotify", "instances are left for waiters");
  } else {
    send({Level::doubtful, "inotify", "none can be had",
          "waiters look 20 times a second instead of being woken",
          "raise fs.inotify.max_user_instances"});
  }
}

void examine_descriptors() {
  constexpr std::uint64_t kFew =
      64;  // a lock each for kMaxLocks, a few for /proc and events, the command's own
  const std::uint64_t limit = os::descriptor_limit();
  const std::string what =
      limit == UINT64_MAX ? "no limit" : std::to_string(limit) + " may be open at once";
  if (limit < kFew) {
    send({Level::doubtful, "descriptors", what, "several locks at once may need more",
          "raise ulimit -n"});
  } else {
    report_good("descriptors", what);
  }
}

void examine_protection() {
  os::Fd file;
  char value = 0;
  std::size_t got = 0;
  if (os::open_to_read("/proc/sys/fs/protected_regular", file) != 0 ||
      os::read_at(file.get(), &value, 1, 0, got) != 0 || got != 1) {
    return;  // older than Linux 4.19: nothing is protected
  }
  std::string what = std::string("fs.protected_regular is ") + value;
  if (value != '0') what += "; files are opened here without creating them, which it allows";
  report_good("protection", what);
  os::Fd links;
  if (os::open_to_read("/proc/sys/fs/protected_symlinks", links) != 0 ||
      os::read_at(links.get(), &value, 1, 0, got) != 0 || got != 1) {
    return;
  }
  if (value != '0') {
    report_good("symlinks", std::string("fs.protected_symlinks is ") + value);
    return;
  }
  send({Level::doubtful, "symlinks", "fs.protected_symlinks is 0",
        "in a directory that everybody may write, another user's link leads to any file",
        "sysctl fs.protected_symlinks=1"});
}

}  // namespace

void examine_machine() {
  examine_build();
  examine_descriptors();
  if (!os::has_description_locks()) return;
  examine_boot();
  examine_processes();
  examine_events();
  examine_protection();
}

}  // namespace atmost::doctor
