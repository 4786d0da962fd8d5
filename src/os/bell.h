// Words in a file, each of which one process sleeps on and any process with the file may ring.
//
// The kernel returns how many it woke, or how many sleep: a process that is stopped, frozen with
// its container or dead does not sleep on a word. The mapping is for the kernel alone: we never
// read or write through it, so a truncated file cannot raise SIGBUS here.
#ifndef ATMOST_OS_BELL_H
#define ATMOST_OS_BELL_H

#include <cstddef>
#include <cstdint>

namespace atmost::os {

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

}  // namespace atmost::os

#endif
