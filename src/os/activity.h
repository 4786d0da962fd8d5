// The activity of a tree of processes: the processor time that it uses and the bytes that it moves,
// from the kernel's counters of each process. Nobody's output is read, and nothing is asked of the
// processes themselves.
//
// A look costs a few system calls for each process of the tree (three files of /proc and a clock)
// and one directory entry for every other process; the first look, and one that is `thorough`, also
// reads one file of each other process.
#ifndef ATMOST_OS_ACTIVITY_H
#define ATMOST_OS_ACTIVITY_H

#include <cstdint>
#include <string_view>

#include "process.h"

namespace atmost::os {

// The activity of a tree since the look before.
struct Activity {
  // Processor time. Exact for processes that can be seen; for those that ended and that their
  // parents waited for in clock ticks (10 ms), and once more what an earlier look has counted.
  std::int64_t cpu_ns = 0;
  // Bytes were read or written, apart from wake-ups (is_quiet()) and by `atmost` itself, which
  // waits for a lock or supervises.
  bool moved = false;
  // A process was in uninterruptible sleep (a disk, a network filesystem), or could not be read
  // (another user's): it may be doing anything.
  bool unclear = false;
  // A process has an io_uring(7), whose bytes the kernel does not count; only of a `thorough` look.
  bool uncounted = false;
  bool runnable = false;  // a thread waits for a processor or has one; only of a `thorough` look
  std::uint32_t processes = 0;
};

// The counters of /proc/PID/io (proc(5)), or a difference of two.
struct IoCounters {
  std::int64_t read_bytes = 0;
  std::int64_t written_bytes = 0;
  std::int64_t reads = 0;
  std::int64_t writes = 0;
  std::int64_t storage_bytes = 0;  // that reached or came from a disk
};

bool parse_process_io(std::string_view text, IoCounters& to);

// True if a process with these counters has moved no data. Event loops wake themselves by reading 8
// bytes of an eventfd or a timerfd, or 1 byte of a pipe, which the same process may have written:
// those bytes do not count as data. A process that only writes, even single bytes, does move data.
bool is_quiet(const IoCounters& since);

// The processes to look at.
struct WatchedTree {
  std::int64_t root = 0;
  bool with_root = false;  // the root counts, too; else only what is below it
};

// 0, or ENOSYS where the kernel does not count (PORTABLE, no /proc/PID/io).
int counts_activity();

// Looks at the tree. Its memory until the next look is one for the process: callers look at
// one tree at a time; the first look at a tree has `from_now`, and counts as activity.
// Where processes cannot be seen everything is `unclear`. `thorough`: every thread's state counts,
// not only that of each main thread, and processes that an earlier look found outside the tree are
// looked at again. No heap; about 50 KiB of static memory, untouched before the first look.
Activity look_at(const WatchedTree& tree, bool from_now, bool thorough);

// Says to those who look at this process that its command will be silent until then (boot clock;
// 0: that it will not): in the process's name, which nobody else can change. Effective in steps of
// a second.
void announce_silence(std::int64_t until_boot_ns);
// The announcement of a process: until when; 0: nothing.
std::int64_t announced_silence(std::int64_t pid);

// The processor time that this process has used.
std::int64_t own_cpu_ns();
// The same of another process, to the nanosecond; false where it cannot be seen.
bool cpu_of(std::int64_t pid, std::int64_t& to_ns);

// True if the process, whose facts were just read, runs `atmost` itself.
bool runs_atmost(std::int64_t pid, const ProcessFacts& facts);

}  // namespace atmost::os

#endif
