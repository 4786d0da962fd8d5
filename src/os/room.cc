#include "room.h"

#include <sys/mman.h>

#include "calls.h"

namespace atmost::os {
namespace {

constexpr std::size_t kFirstSize = 512 * 1024;

// In zero-initialised pages (.bss): nothing is read from a file, and no page takes memory until it
// is written.
alignas(64) constinit unsigned char first[kFirstSize] = {};
constinit bool first_is_taken = false;

}  // namespace

void* take_room(std::size_t size) {
  if (size <= kFirstSize && !__atomic_test_and_set(&first_is_taken, __ATOMIC_ACQUIRE)) return first;
  void* room =
      calls.mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room == MAP_FAILED ? nullptr : room;
}

void give_room(void* room, std::size_t size) {
  if (room == first) {
    __atomic_clear(&first_is_taken, __ATOMIC_RELEASE);
  } else {
    calls.munmap(room, size);
  }
}

}  // namespace atmost::os
