// The memory of arenas (core/text.h), and that for the sentences of errors: pieces of one size, a
// few of which cost no system call.
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <new>

#include "calls.h"
#include "core/result.h"

namespace atmost {
namespace {

using Piece = Text<Reason::kMost>;

constexpr unsigned kPieces = 16;
alignas(Piece) constinit char pieces[kPieces * sizeof(Piece)] = {};
constinit std::uint32_t free_pieces = (1u << kPieces) - 1;  // a bit each

constinit const Piece kNoMemory("there is no memory left to say why");

// Null: there is no memory.
void* take_pages(std::size_t size) {
  const int before = errno;
  void* const pages =
      os::calls.mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = before;
  return pages == MAP_FAILED ? nullptr : pages;
}

void* take_piece() {
  std::uint32_t bits = __atomic_load_n(&free_pieces, __ATOMIC_RELAXED);
  while (bits != 0) {
    if (__atomic_compare_exchange_n(&free_pieces, &bits, bits & (bits - 1), false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
      return pieces + static_cast<unsigned>(__builtin_ctz(bits)) * sizeof(Piece);
  }
  return take_pages(sizeof(Piece));
}

}  // namespace

Text<Reason::kMost>* Reason::text() {
  if (text_ == &kNoMemory) return nullptr;
  if (text_ == nullptr) {
    void* const piece = take_piece();
    text_ = piece == nullptr ? &kNoMemory : new (piece) Piece;
    if (piece == nullptr) return nullptr;
  }
  return const_cast<Piece*>(text_);
}

void Reason::give_back(const Text<kMost>* text) {
  if (text == &kNoMemory) return;
  const auto* const at = reinterpret_cast<const char*>(text);
  if (at < pieces || at >= pieces + sizeof pieces) {
    os::calls.munmap(const_cast<Piece*>(text), sizeof(Piece));
    return;
  }
  const auto index = static_cast<unsigned>(at - pieces) / sizeof(Piece);
  __atomic_fetch_or(&free_pieces, 1u << index, __ATOMIC_RELEASE);
}

// In front of what is in them: values of plain data, aligned as this.
struct Arena::Pages {
  Pages* before;
  std::size_t size;
};

void* Arena::take(std::size_t size, std::size_t alignment) {
  const auto end = reinterpret_cast<std::uintptr_t>(next_.data());
  const std::size_t between = (alignment - end % alignment) % alignment;
  if (between + size <= next_.size()) {
    void* const at = next_.data() + between;
    next_ = next_.subspan(between + size);
    return at;
  }
  constexpr std::size_t kLeast = 16 * 1024;
  const std::size_t whole = size + sizeof(Pages) > kLeast ? size + sizeof(Pages) : kLeast;
  void* const pages = take_pages(whole);
  if (pages == nullptr) return nullptr;
  pages_ = new (pages) Pages{pages_, whole};
  next_ = {static_cast<char*>(pages) + sizeof(Pages), whole - sizeof(Pages)};
  return take(size, alignment);
}

bool Arena::keep(std::span<const std::string_view> parts, TextView& to) {
  std::size_t size = 0;
  for (const std::string_view part : parts) size += part.size();
  char* const text = array<char>(size + 1);
  if (text == nullptr) return false;
  char* end = text;
  for (const std::string_view part : parts) {
    if (!part.empty()) std::memcpy(end, part.data(), part.size());
    end += part.size();
  }
  *end = '\0';
  to = TextView::of({text, size});
  return true;
}

void Arena::clear() {
  while (Pages* const pages = pages_) {
    pages_ = pages->before;
    os::calls.munmap(pages, pages->size);
  }
  next_ = first_;
}

Arena& run_arena() {
  alignas(16) static constinit char first[2048] = {};
  static constinit Arena arena(first);
  return arena;
}

}  // namespace atmost
