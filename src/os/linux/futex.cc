#include "../futex.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

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

namespace {

// The kernel finds a word at a fixed distance from its list entry. Entries are laid out as the
// words are, eight bytes apart, so one distance serves them all.
static_assert(sizeof(struct robust_list) == 8 || sizeof(void*) == 4);
struct alignas(8) Entry {
  struct robust_list link;
};
Entry entries[kWordWindow];
Entry only;  // of a single word: the array would take one page more
struct robust_list_head head;
void* mapping = nullptr;
std::size_t mapping_size = 0;

}  // namespace

std::uint32_t thread_id() { return static_cast<std::uint32_t>(calls.thread_id()); }

std::uint32_t register_words(int fd, std::int64_t base_offset, const std::uint32_t* indices,
                             std::uint32_t count) {
  forget_words();
  if (count == 0) return 0;
  const long page = sysconf(_SC_PAGESIZE);
  const std::int64_t first_byte = base_offset + 8 * static_cast<std::int64_t>(indices[0]);
  const std::int64_t map_start = first_byte - first_byte % page;
  std::uint32_t usable = 0;
  while (usable < count && usable < kMaxWords && indices[usable] - indices[0] < kWordWindow)
    ++usable;
  const std::int64_t last_byte =
      base_offset + 8 * static_cast<std::int64_t>(indices[usable - 1]) + 8;
  mapping_size = static_cast<std::size_t>((last_byte - map_start + page - 1) / page * page);
  mapping = calls.mmap(nullptr, mapping_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, map_start);
  if (mapping == MAP_FAILED) {
    mapping = nullptr;
    return 0;
  }
  char* first_word = static_cast<char*>(mapping) + (first_byte - map_start);
  Entry* const of = usable == 1 ? &only : entries;
  head.futex_offset = first_word - reinterpret_cast<char*>(of);
  head.list_op_pending = nullptr;
  struct robust_list* previous = &head.list;
  for (std::uint32_t i = 0; i < usable; ++i) {
    struct robust_list* link = &of[indices[i] - indices[0]].link;
    previous->next = link;
    previous = link;
  }
  previous->next = &head.list;
  if (calls.set_robust_list(&head, sizeof head) != 0) {
    forget_words();
    return 0;
  }
  return usable;
}

void forget_words() {
  if (mapping == nullptr) return;
  head.list.next = &head.list;
  calls.munmap(mapping, mapping_size);
  mapping = nullptr;
}

}  // namespace atmost::os
