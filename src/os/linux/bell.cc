#include "../bell.h"

#include <sys/mman.h>
#include <time.h>

#include <cerrno>

#include "../calls.h"
#include "../clock.h"

namespace atmost::os {

// For reading only: through a mapping for writing, the kernel would make each page dirty.
bool Bells::open(int fd, std::int64_t at, Heirs heirs) {
  close();
  void* const mapped = calls.mmap(nullptr, kSize, PROT_READ, MAP_SHARED, fd, at);
  if (mapped == MAP_FAILED) return false;
  mapping_ = mapped;
  if (heirs == Heirs::none && calls.madvise(mapping_, kSize, MADV_DONTFORK) != 0) close();
  return is_open();
}

void Bells::close() {
  if (mapping_ != nullptr) calls.munmap(mapping_, kSize);
  mapping_ = nullptr;
}

int Bells::wait(std::int64_t at, std::uint32_t expected, std::int64_t boot_deadline_ns) const {
  const std::int64_t left = boot_deadline_ns - boot_ns();
  if (left <= 0) return ETIMEDOUT;
  const struct timespec span = {static_cast<time_t>(left / 1'000'000'000),
                                static_cast<long>(left % 1'000'000'000)};
  if (calls.wait_word(word(at), expected, &span) == 0 || errno == EAGAIN) return 0;
  return errno;
}

std::uint32_t Bells::ring(std::int64_t at) const {
  const int woken = calls.wake_word(word(at), true);
  return woken > 0 ? static_cast<std::uint32_t>(woken) : 0;
}

bool Bells::sleeps(std::int64_t at) const { return calls.wake_word(word(at), false) != 0; }

}  // namespace atmost::os
