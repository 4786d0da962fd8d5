// Facts about this process and its machine.
#ifndef ATMOST_OS_SELF_H
#define ATMOST_OS_SELF_H

#include <cstdint>
#include <string_view>

#include "core/text.h"

namespace atmost::os {

std::int64_t process_id();
// For a library: from now on process_id() asks the kernel once only, and once more in each forked
// child. Not for a child that shares our memory (vfork). Where the system cannot keep a page from
// children, nothing changes. Once per process, before other threads call process_id().
void remember_process_id();
std::int64_t parent_id();
// The effective user: whose rights count when a file is opened or a signal is sent.
std::uint32_t user_id();
// A number that changes with every boot (a hash of the kernel's boot id) and is the same for all
// processes that have the boot clock in common: containers included, but not those of another time
// namespace. Asked once. 0 if the system has none: then nothing stored is taken for this boot's.
// `expected` saves an expensive query of the time namespace: it is the number of another process,
// which had that difference of its clocks, real less boot. If both are ours, too (to a
// millisecond), and the number is the machine's, we have its boot clock.
std::uint64_t boot_hash(std::uint64_t expected = 0, std::uint64_t real_less_boot_ns = 0);
// The environment as it is now; borrowed, NULL-terminated.
char* const* environment();
// The value of a variable, or null. Borrowed.
const char* variable(const char* name);
// The working directory, or null where it cannot be determined (removed, too long, no memory).
const char* working_directory(Arena& texts);

// The number of descriptors that this process may have open (RLIMIT_NOFILE); UINT64_MAX: no limit.
std::uint64_t descriptor_limit();

// Releases memory that page faults bring back when it is needed: the program's code, and what
// returned calls have left on the stack. For a process with one thread that will sleep long.
void shed_memory();
// True if it does anything here.
extern const bool kShedsMemory;

// A number that differs from call to call, for spreading work. Not random enough for anything else.
std::uint32_t scatter();

// The machine and the program's own place on it.

// uname's node name; empty when there is none.
Text<255> host_name();
// The same, asked once and kept: for a process of our own with one thread. The view is valid until
// the process ends.
std::string_view kept_host_name();

// The processors that this process may use (sched_getaffinity(2)), at most as many as the quotas of
// its control groups allow (cpu.max and cpu.cfs_quota_us), rounded down; at least 1. A file that
// cannot be read limits nothing.
std::uint32_t processors();

// True if the kernel gave this process rights that its caller lacks (AT_SECURE; where there is
// none, real and effective ids that differ).
bool has_raised_rights();

// The file this program was started from; false, with errno, where the system does not say.
bool program_path(PathText& to);

// The names of users and groups, straight from the system's files: asking a directory service may
// block, and a static program cannot.

// The name of a user in /etc/passwd, of a group in /etc/group; empty when it has none there. The
// first line with the number counts, as in the C library. A name that is too long is cut, and
// truncated() is true.
using AccountName = Text<63>;
AccountName user_account(std::uint32_t user);
AccountName group_account(std::uint32_t group);

}  // namespace atmost::os

#endif
