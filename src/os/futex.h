// Words in a file that the kernel knows, futex(2): bells, and signs of life.
#ifndef ATMOST_OS_FUTEX_H
#define ATMOST_OS_FUTEX_H

#include <cstddef>
#include <cstdint>

namespace atmost::os {

// Words in a file, each of which one process sleeps on and any process with the file may ring.
//
// The kernel returns how many it woke, or how many sleep: a process that is stopped, frozen with
// its container or dead does not sleep on a word. The mapping is for the kernel alone: we never
// read or write through it, so a truncated file cannot raise SIGBUS here.

// Without a destructor, because its owner lies in memory that is not always made: close() ends it.
class Bells {
 public:
  static constexpr std::size_t kSize = 1 << 20;
  // The forked children that get the mapping, and with it the open file description. none: no fork
  // may begin during the call.
  enum class Heirs : std::uint8_t { all, none };
  // For the words in kSize bytes of the file from `at`, a multiple of the page size. False: this
  // system has none, or the file cannot be mapped. Closes those that were open before.
  bool open(int fd, std::int64_t at, Heirs heirs);
  bool is_open() const { return mapping_ != nullptr; }
  void close();
  // For a forked child that did not get the mapping. Async-signal-safe.
  void forget() { mapping_ = nullptr; }

  // REQUIRES of all: open. `at`: where the word lies, from the first of those bytes on.
  //
  // Sleeps while the word is `expected`. Returns 0 (it changed, or was rung), EINTR (a signal
  // handler ran), ETIMEDOUT (the moment has come), or another errno value: it could not sleep.
  int wait(std::int64_t at, std::uint32_t expected, std::int64_t boot_deadline_ns) const;
  // Wakes whoever sleeps on the word. Returns how many did.
  std::uint32_t ring(std::int64_t at) const;
  // True if a process sleeps on the word; wakes none. True also when that cannot be known.
  bool sleeps(std::int64_t at) const;

 private:
  void* word(std::int64_t at) const { return static_cast<char*>(mapping_) + at; }

  void* mapping_ = nullptr;
};

// Occupancy words: they show, maintained by the kernel, that a supervisor is alive.
//
// A word is eight bytes in a file; its first four hold the supervisor's thread id. The supervisor
// registers it as a robust futex (set_robust_list(2)): however it dies, SIGKILL included, the
// kernel sets FUTEX_OWNER_DIED in the word, before it closes the process's files (do_exit: exit_mm
// before exit_files). So a word that holds a thread id without that bit belongs to a living
// process. The mapping is for the kernel alone: we never read or write through it, so a truncated
// file or a full disk cannot raise SIGBUS here.

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
