// Occupancy words: they show, maintained by the kernel, that a supervisor is alive.
//
// A word is eight bytes in a file; its first four hold the supervisor's thread id. The supervisor
// registers it as a robust futex (set_robust_list(2)): however it dies, SIGKILL included, the
// kernel sets FUTEX_OWNER_DIED in the word, before it closes the process's files (do_exit: exit_mm
// before exit_files). So a word that holds a thread id without that bit belongs to a living
// process. The mapping is for the kernel alone: we never read or write through it, so a truncated
// file or a full disk cannot raise SIGBUS here.
#ifndef ATMOST_OS_OCCUPANCY_H
#define ATMOST_OS_OCCUPANCY_H

#include <cstddef>
#include <cstdint>

namespace atmost::os {

inline constexpr std::uint32_t kOwnerDied = 0x40000000;   // FUTEX_OWNER_DIED, linux/futex.h
inline constexpr std::uint32_t kThreadMask = 0x3fffffff;  // FUTEX_TID_MASK

// The kernel walks at most 2,048 entries of a robust list (ROBUST_LIST_LIMIT).
inline constexpr std::uint32_t kMaxWords = 2048;

// Registers the words at `base_offset` + 8 × index of the file for this process's only thread;
// `indices` ascending. Words further than kWordWindow behind the first are left out. Returns how
// many of the indices, from the front, are registered (0 when the system has no robust lists or the
// page cannot be mapped). Replaces any earlier registration of the thread. Ends with the process,
// at exec (the kernel then marks the words died), or by forget_words(). Not inherited by fork.
// REQUIRES: single-threaded caller that uses no robust mutex.
inline constexpr std::uint32_t kWordWindow = 4096;
std::uint32_t register_words(int fd, std::int64_t base_offset, const std::uint32_t* indices,
                             std::uint32_t count);
void forget_words();

// The value a registered word must hold: this thread's id.
std::uint32_t thread_id();

}  // namespace atmost::os

#endif
