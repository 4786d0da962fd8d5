// The front tier's strings: texts of a fixed size, views of texts, and memory for texts of any
// size. No heap, no exceptions, always NUL-terminated.
#ifndef ATMOST_TEXT_H
#define ATMOST_TEXT_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace atmost {

// A buffer of at most N bytes of text. Appending beyond N keeps what fits and sets truncated(), for
// good. Copyable; owns its bytes; may hold any byte value, NUL included (view() sees it, c_str()
// ends there). Bytes behind the text stay as they are: until it is copied, a large Text costs no
// more than what is in it.
template <std::size_t N>
class Text {
 public:
  constexpr Text() {
    if (std::is_constant_evaluated()) {  // static objects have no bytes without a value
      for (char& byte : bytes_) byte = '\0';
    }
    bytes_[0] = '\0';
  }
  // Not explicit on purpose: a string_view that has to be kept is stored as a Text.
  constexpr Text(std::string_view from) : Text() { append(from); }

  // Replaces the text; for a large Text cheaper than a copy, which moves all its bytes.
  constexpr Text& assign(std::string_view from) {
    size_ = 0;
    truncated_ = false;
    return append(from);
  }

  constexpr Text& append(std::string_view from) {
    const bool fits = from.size() <= N - size_;
    const std::size_t count = fits ? from.size() : N - size_;
    if (!fits) truncated_ = true;
    put(bytes_ + size_, from.data(), count);
    size_ += count;
    bytes_[size_] = '\0';
    return *this;
  }
  constexpr Text& push(char c) {
    if (size_ >= N) {
      truncated_ = true;
      return *this;
    }
    bytes_[size_++] = c;
    bytes_[size_] = '\0';
    return *this;
  }
  constexpr Text& append_unsigned(std::uint64_t value) {
    constexpr std::size_t kMost = 20;
    char digits[kMost] = {};
    std::size_t first = kMost;
    do {
      digits[--first] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
    return append({digits + first, kMost - first});
  }
  constexpr Text& append_signed(std::int64_t value) {
    if (value >= 0) return append_unsigned(static_cast<std::uint64_t>(value));
    return push('-').append_unsigned(0 - static_cast<std::uint64_t>(value));
  }
  constexpr void clear() {
    size_ = 0;
    bytes_[0] = '\0';
    truncated_ = false;
  }

  constexpr std::string_view view() const {
    if (size_ > N) __builtin_unreachable();
    return {bytes_, size_};
  }
  constexpr operator std::string_view() const { return view(); }
  constexpr const char* c_str() const { return bytes_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr bool truncated() const { return truncated_; }
  static constexpr std::size_t capacity() { return N; }

 private:
  // The views may overlap: a text can take a part of itself.
  static constexpr void put(char* to, const char* from, std::size_t count) {
    if (count == 0) return;
    if (std::is_constant_evaluated()) {
      for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
    } else {
      __builtin_memmove(to, from, count);
    }
  }

  // In front of the bytes, so that a short text lies on one page of memory.
  std::size_t size_ = 0;
  bool truncated_ = false;
  char bytes_[N + 1];
};

// A text that somebody else keeps, with a NUL behind it (an Arena, a Text, a literal).
class TextView {
 public:
  constexpr TextView() = default;
  template <std::size_t N>
  constexpr TextView(const Text<N>& of) : data_(of.c_str()), size_(of.size()) {}
  template <std::size_t N>
  TextView(const Text<N>&& of) = delete;
  template <std::size_t N>
  constexpr TextView(const char (&literal)[N]) : data_(literal), size_(N - 1) {}
  // REQUIRES: of.data()[of.size()] is NUL.
  static constexpr TextView of(std::string_view of) {
    TextView view;
    view.data_ = of.data();
    view.size_ = of.size();
    return view;
  }

  constexpr std::string_view view() const { return {data_, size_}; }
  constexpr operator std::string_view() const { return view(); }
  constexpr const char* c_str() const { return data_; }
  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }

 private:
  const char* data_ = "";
  std::size_t size_ = 0;
};

// The longest path the kernel takes is 4096 bytes with its NUL (PATH_MAX, limits.h).
using PathText = Text<4095>;

// A path in parts, which are borrowed, with a slash between two of them; empty ones are left out.
// Nothing is copied before the path is used.
struct PathParts {
  std::string_view directory{}, below{}, host{}, file{};

  constexpr bool empty() const { return size() == 0; }
  constexpr std::size_t size() const {
    std::size_t sum = 0;
    for_each([&sum](std::string_view between, std::string_view part) {
      sum += between.size() + part.size();
    });
    return sum;
  }
  // Calls visit(between, part) for each part: between is the slash in front of it, or empty.
  template <class Visit>
  constexpr void for_each(Visit visit) const {
    bool separated = true;
    for (const std::string_view part : {directory, below, host, file}) {
      if (part.empty()) continue;
      visit(separated ? std::string_view() : std::string_view("/"), part);
      separated = part.back() == '/';
    }
  }
  // truncated() if it is longer than a path may be.
  constexpr void join(PathText& to) const {
    to.clear();
    for_each([&to](std::string_view between, std::string_view part) {
      to.append(between).append(part);
    });
  }
};

// Memory for texts, such as those of a request: each takes what it needs, and all are given back at
// once. Begins with memory of its owner, and goes on in pages of its own. One thread at a time.
// src/os/memory.cc defines it.
class Arena {
 public:
  explicit constexpr Arena(std::span<char> first) : first_(first), next_(first) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // The parts behind each other, in one text of the arena. False: there is no memory.
  bool keep(std::span<const std::string_view> parts, TextView& to);
  bool keep(std::string_view text, TextView& to) { return keep({&text, 1}, to); }
  // Room for `count` values of plain data. Null: there is no memory.
  template <class T>
  T* array(std::size_t count) {
    return static_cast<T*>(take(count * sizeof(T), alignof(T)));
  }
  // Gives back the pages; no text is valid after it. A process that ends need not call it.
  void clear();

 private:
  struct Pages;
  void* take(std::size_t size, std::size_t alignment);

  std::span<char> first_;
  std::span<char> next_;  // what is free
  Pages* pages_ = nullptr;
};

// An arena with the memory that it begins with; it ends with its scope.
class ScopedArena : public Arena {
 public:
  ScopedArena() : Arena(own_) {}
  ~ScopedArena() { clear(); }

 private:
  char own_[512];
};

// Memory that a program of ours needs until it ends. One thread.
Arena& run_arena();

}  // namespace atmost

#endif
