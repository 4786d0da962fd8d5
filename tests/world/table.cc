// The table of src/os/calls.h with the simulated calls; each other one ends the world.
#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "os/room.h"
#include "world/tables.h"

namespace world {
namespace {

template <std::size_t kSize>
struct Name {
  constexpr Name(const char (&text)[kSize]) { std::copy_n(text, kSize, letters); }
  char letters[kSize] = {};
};

template <Name kName, class Result, class... Arguments>
Result lacks(Arguments...) {
  kernel->fail(std::string("the world has no ") + kName.letters);
}

template <Name kName, class Result, class... Arguments>
void leave_out(Result (*&entry)(Arguments...)) {
  entry = lacks<kName, Result, Arguments...>;
}

#define LEAVE_OUT(name) leave_out<#name>(calls.name)

void leave_out_files_and_waits(atmost::os::Calls& calls) {
  LEAVE_OUT(openat);
  LEAVE_OUT(close);
  LEAVE_OUT(pread);
  LEAVE_OUT(pwrite);
  LEAVE_OUT(read);
  LEAVE_OUT(write);
  LEAVE_OUT(lock);
  LEAVE_OUT(control);
  LEAVE_OUT(fstat);
  LEAVE_OUT(stat);
  LEAVE_OUT(lstat);
  LEAVE_OUT(status);
  LEAVE_OUT(fchmod);
  LEAVE_OUT(fdatasync);
  LEAVE_OUT(mkdir);
  LEAVE_OUT(filesystem_magic);
  LEAVE_OUT(clock_gettime);
  LEAVE_OUT(poll);
  LEAVE_OUT(masked_poll);
  LEAVE_OUT(inotify_init);
  LEAVE_OUT(inotify_add_watch);
  LEAVE_OUT(inotify_rm_watch);
  LEAVE_OUT(mmap);
  LEAVE_OUT(munmap);
  LEAVE_OUT(set_robust_list);
  LEAVE_OUT(wait_word);
  LEAVE_OUT(wake_word);
}

void leave_out_processes_and_names(atmost::os::Calls& calls) {
  LEAVE_OUT(pidfd_open);
  LEAVE_OUT(pidfd_send_signal);
  LEAVE_OUT(pidfd_queue_signal);
  LEAVE_OUT(setitimer);
  LEAVE_OUT(start);
  LEAVE_OUT(execve);
  LEAVE_OUT(wait4);
  LEAVE_OUT(kill);
  LEAVE_OUT(sigqueue);
  LEAVE_OUT(sigaction);
  LEAVE_OUT(sigprocmask);
  LEAVE_OUT(sigtimedwait);
  LEAVE_OUT(signal_descriptor);
  LEAVE_OUT(create_timer);
  LEAVE_OUT(set_timer);
  LEAVE_OUT(delete_timer);
  LEAVE_OUT(getdents);
  LEAVE_OUT(symlink);
  LEAVE_OUT(readlink);
  LEAVE_OUT(link);
  LEAVE_OUT(exchange);
  LEAVE_OUT(rename_new);
  LEAVE_OUT(rename);
  LEAVE_OUT(fork);
  LEAVE_OUT(pipe);
  LEAVE_OUT(unlink);
  LEAVE_OUT(fstatvfs);
  LEAVE_OUT(futimens);
  LEAVE_OUT(flock);
  LEAVE_OUT(fallocate);
  LEAVE_OUT(seek);
  LEAVE_OUT(bare_poll);
  LEAVE_OUT(clock_in_process);
}

void leave_out_descriptors_and_self(atmost::os::Calls& calls) {
  LEAVE_OUT(dup2);
  LEAVE_OUT(dup_private);
  LEAVE_OUT(open_pipe_at_once);
  LEAVE_OUT(close_between);
  LEAVE_OUT(descriptor_path);
  LEAVE_OUT(take_read_lease);
  LEAVE_OUT(continue_at_hangup);
  LEAVE_OUT(socketpair);
  LEAVE_OUT(sendmsg);
  LEAVE_OUT(recvmsg);
  LEAVE_OUT(send);
  LEAVE_OUT(ioctl);
  LEAVE_OUT(isatty);
  LEAVE_OUT(tcgetpgrp);
  LEAVE_OUT(exit);
  LEAVE_OUT(getpid);
  LEAVE_OUT(getppid);
  LEAVE_OUT(getpgid);
  LEAVE_OUT(getsid);
  LEAVE_OUT(setsid);
  LEAVE_OUT(geteuid);
  LEAVE_OUT(thread_id);
  LEAVE_OUT(chdir);
  LEAVE_OUT(getcwd);
  LEAVE_OUT(uname);
  LEAVE_OUT(getrlimit);
  LEAVE_OUT(setrlimit);
  LEAVE_OUT(madvise);
  LEAVE_OUT(waitid);
  LEAVE_OUT(start_unseen);
  LEAVE_OUT(adopts_orphans);
  LEAVE_OUT(adopt_orphans);
  LEAVE_OUT(die_with_parent);
  LEAVE_OUT(forbid_core);
  LEAVE_OUT(rename_self);
  LEAVE_OUT(own_name);
  LEAVE_OUT(thread_mask);
  LEAVE_OUT(sigpending);
  LEAVE_OUT(sigwait);
  LEAVE_OUT(create_thread_timer);
  LEAVE_OUT(set_thread_timer);
}

// Rooms are taken before the first process begins: fibers would share those of the product's own
// memory, and a process alone would have them.
void take_rooms() {
  static const bool taken = atmost::os::take_room(atmost::os::kSmallRoom) != nullptr &&
                            atmost::os::take_room(atmost::os::kLargeRoom) != nullptr;
  if (!taken) std::abort();
}

}  // namespace

void install_table() {
  take_rooms();
  atmost::os::Calls& calls = atmost::os::calls;
  leave_out_files_and_waits(calls);
  leave_out_processes_and_names(calls);
  leave_out_descriptors_and_self(calls);
  install_files(calls);
  install_descriptors(calls);
  install_waits(calls);
  install_signals(calls);
  install_self(calls);
}

}  // namespace world
