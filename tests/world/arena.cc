#include "world/arena.h"

#include <stdlib.h>
#include <sys/mman.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace world {
namespace {

constexpr std::size_t kSize = std::size_t{1} << 34;  // of addresses; memory is what is used
constexpr int kClasses = 40;
constexpr std::size_t kLeast = 16;  // bytes, and the alignment of all pieces

// In front of each piece: the power of two that it is large.
struct alignas(kLeast) Piece {
  std::uint64_t power = 0;
  Piece* next = nullptr;  // while it is free
};

// One process at a time uses it.
struct Arena {
  char* next;
  Piece* free[kClasses];
};

Arena* the_arena = nullptr;

Arena& arena() {
  if (the_arena == nullptr) {
    void* const at = mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) abort();
    the_arena = new (at) Arena{};
    the_arena->next = static_cast<char*>(at) + 4096;
  }
  return *the_arena;
}

void* take(std::size_t size) {
  Arena& from = arena();
  const std::size_t whole = std::bit_ceil(size + sizeof(Piece));
  const auto power = static_cast<std::uint64_t>(std::countr_zero(whole));
  if (power >= kClasses) abort();
  Piece* piece = from.free[power];
  if (piece != nullptr) {
    from.free[power] = piece->next;
  } else {
    if (from.next + whole > reinterpret_cast<char*>(&from) + kSize) abort();
    piece = new (from.next) Piece{power, nullptr};
    from.next += whole;
  }
  return piece + 1;
}

void give(void* at) {
  if (at == nullptr) return;
  Piece* const piece = static_cast<Piece*>(at) - 1;
  Piece*& first = arena().free[piece->power];
  piece->next = first;
  first = piece;
}

// An aligned piece begins inside an ordinary one, whose address lies in front of it.
void* take_aligned(std::size_t size, std::size_t alignment) {
  char* const whole = static_cast<char*>(take(size + alignment + sizeof(void*)));
  const auto behind = reinterpret_cast<std::uintptr_t>(whole) + sizeof(void*);
  auto* const at = reinterpret_cast<void**>((behind + alignment - 1) & ~(alignment - 1));
  at[-1] = whole;
  return at;
}

}  // namespace

bool in_arena(const void* at) {
  const char* const begin = reinterpret_cast<const char*>(&arena());
  return at >= begin && at < begin + kSize;
}

}  // namespace world

void* operator new(std::size_t size) { return world::take(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return world::take_aligned(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* at) noexcept { world::give(at); }
void operator delete(void* at, std::size_t) noexcept { world::give(at); }
void operator delete(void* at, std::align_val_t) noexcept {
  if (at != nullptr) world::give(static_cast<void**>(at)[-1]);
}
void operator delete(void* at, std::size_t, std::align_val_t alignment) noexcept {
  operator delete(at, alignment);
}
