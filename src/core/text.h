// Fixed-size text: the front tier's strings. No heap, no exceptions, always NUL-terminated.
#ifndef ATMOST_TEXT_H
#define ATMOST_TEXT_H

#include <cstddef>
#include <cstdint>
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
  // truncated() if it is longer than a path may be.
  constexpr void join(PathText& to) const {
    to.clear();
    for_each([&to](std::string_view between, std::string_view part) {
      to.append(between).append(part);
    });
  }

 private:
  template <class Visit>
  constexpr void for_each(Visit visit) const {
    bool separated = true;
    for (const std::string_view part : {directory, below, host, file}) {
      if (part.empty()) continue;
      visit(separated ? std::string_view() : std::string_view("/"), part);
      separated = part.back() == '/';
    }
  }
};

}  // namespace atmost

#endif
