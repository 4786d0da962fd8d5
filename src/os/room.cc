#include "room.h"

#include <sys/mman.h>

#include "calls.h"

namespace atmost::os {
namespace {

// In zero-initialised pages (.bss): nothing is read from a file, and no page takes memory until it
// is written.
alignas(64) constinit unsigned char small[kSmallRoom] = {};
alignas(64) constinit unsigned char first[kLargeRoom] = {};
constinit bool small_is_taken = false;
constinit bool first_is_taken = false;

}  // namespace

void* take_room(std::size_t size) {
  if (size <= kSmallRoom && !__atomic_test_and_set(&small_is_taken, __ATOMIC_ACQUIRE)) return small;
  if (size > kSmallRoom && size <= kLargeRoom &&
      !__atomic_test_and_set(&first_is_taken, __ATOMIC_ACQUIRE))
    return first;
  void* room =
      calls.mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room == MAP_FAILED ? nullptr : room;
}

void give_room(void* room, std::size_t size) {
  if (room == small) {
    __atomic_clear(&small_is_taken, __ATOMIC_RELEASE);
  } else if (room == first) {
    __atomic_clear(&first_is_taken, __ATOMIC_RELEASE);
  } else {
    calls.munmap(room, size);
  }
}

}  // namespace atmost::os
