#include "reader/safe_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/words.h"
#include "reader/value.h"

namespace atmost::history {
namespace {

constexpr std::size_t kPiece = 256;
constexpr std::size_t kLongestEscape = 4;  // \xHH

// Eight bytes at a time: every line of every log comes through here.
bool is_printable(std::string_view text) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  std::uint64_t odd = 0;  // in the topmost bits of its bytes
  for (; text.size() >= sizeof odd; text.remove_prefix(sizeof odd)) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), sizeof word);
    // Below 0x20 borrows, 0x7f carries; what these do to the next byte does not matter any more.
    odd |= word | (word - 0x20 * kEach) | (word + kEach);
  }
  bool plain = (odd & (0x80 * kEach)) == 0;
  for (unsigned char c : text) plain &= c >= 0x20 && c < 0x7f;
  return plain;
}

}  // namespace

std::string text_of(std::string_view raw) {
  std::string text(raw.size(), '\0');  // no escape is shorter than what it stands for
  text.resize(unescape_json(raw, text.data(), text.size()));
  return text;
}

std::string escaped(std::string_view text) {
  std::string to;
  while (!text.empty()) {
    const std::size_t piece = whole_characters(text, kPiece);
    char room[kLongestEscape * kPiece];
    to.append(room, escape(text.substr(0, piece), room, sizeof room));
    text.remove_prefix(piece);
  }
  return to;
}

std::string shown(std::string_view raw) {
  if (raw.find('\\') != std::string_view::npos) return escaped(text_of(raw));
  return is_printable(raw) ? std::string(raw) : escaped(raw);
}

bool is_safe(std::string_view line) {
  if (is_printable(line)) return true;
  while (!line.empty()) {
    const std::size_t piece = whole_characters(line, kPiece);
    const std::string_view part = line.substr(0, piece);
    char room[kLongestEscape * kPiece];
    const auto backslashes = static_cast<std::size_t>(std::count(part.begin(), part.end(), '\\'));
    if (escape(part, room, sizeof room) != piece + backslashes) return false;
    line.remove_prefix(piece);
  }
  return true;
}

}  // namespace atmost::history
