#include <cstdint>

#include "core/words.h"

namespace atmost {
namespace {

struct Character {
  std::size_t bytes;
  std::size_t cells;
};

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

// EastAsianWidth.txt, W and F, as few ranges, without the rare characters in between.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xA960, 0xA97C}, {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
// Marks that are drawn over the character before them, and characters that are not drawn at all.
constexpr Range kNone[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F},
                           {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D}, {0x20D0, 0x20FF},
                           {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}};

template <std::size_t N>
bool in(const Range (&ranges)[N], std::uint32_t code) {
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

// REQUIRES: valid UTF-8, as escaping leaves it.
Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  std::size_t bytes = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (bytes > text.size()) bytes = 1;
  std::uint32_t code = bytes == 1 ? lead : lead & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  return {bytes, in(kNone, code) ? 0u : in(kWide, code) ? 2u : 1u};
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character one = first_character(text);
    width += one.cells;
    text.remove_prefix(one.bytes);
  }
  return width;
}

std::string_view cut_to_width(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  while (end < text.size()) {
    const Character one = first_character({text.data() + end, text.size() - end});
    if (one.cells > width) break;
    width -= one.cells;
    end += one.bytes;
  }
  return {text.data(), end};
}

std::string_view end_of_width(std::string_view text, std::size_t width) {
  for (std::size_t left = display_width(text); left > width;) {
    const Character one = first_character(text);
    left -= one.cells;
    text.remove_prefix(one.bytes);
  }
  return text;
}

}  // namespace atmost
