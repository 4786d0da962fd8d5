#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/words.h"

namespace atmost {
namespace {

std::string escaped(std::string_view from) {
  std::string to(from.size() * 4 + 16, '\0');
  to.resize(escape(from, to.data(), to.size()));
  return to;
}

std::string json(std::string_view from) {
  std::string to(from.size() * 6 + 16, '\0');
  to.resize(escape_json(from, to.data(), to.size()));
  return to;
}

TEST(Escape, LeavesOrdinaryTextAlone) {
  EXPECT_EQ(escaped("build 4.2 \"quoted\" 'x' $(y)"), "build 4.2 \"quoted\" 'x' $(y)");
  EXPECT_EQ(escaped("Größe 日本 🎉"), "Größe 日本 🎉");
  EXPECT_EQ(escaped("\xC2\xA0\xF4\x8F\xBF\xBF"), "\xC2\xA0\xF4\x8F\xBF\xBF");
}

TEST(Escape, ControlsBecomeVisible) {
  EXPECT_EQ(escaped("a\nb\tc\\d"), "a\\nb\\tc\\\\d");
  EXPECT_EQ(escaped("\x1b[2J\r\b\x07\x7f"), "\\x1B[2J\\x0D\\x08\\x07\\x7F");
  EXPECT_EQ(escaped(std::string_view("\0x", 2)), "\\x00x");
  EXPECT_EQ(escaped("\xC2\x9B"), "\\xC2\\x9B") << "C1: CSI as UTF-8";
  EXPECT_EQ(escaped("\xE2\x80\xAE"), "\\xE2\\x80\\xAE") << "right-to-left override";
  EXPECT_EQ(escaped("\xE2\x80\xA8\xE2\x80\xA9"), "\\xE2\\x80\\xA8\\xE2\\x80\\xA9");
  EXPECT_EQ(escaped("\xE2\x81\xA6\xE2\x81\xA9\xD8\x9C\xE2\x80\x8E\xE2\x80\x8F"),
            "\\xE2\\x81\\xA6\\xE2\\x81\\xA9\\xD8\\x9C\\xE2\\x80\\x8E\\xE2\\x80\\x8F");
}

TEST(Escape, BytesThatAreNotUtf8BecomeVisible) {
  const struct {
    std::string_view from, to;
  } cases[] = {
      {"\xff", "\\xFF"},
      {"\x80", "\\x80"},
      {"\xC3", "\\xC3"},
      {"\xC3x", "\\xC3x"},
      {"\xC0\xAF", "\\xC0\\xAF"},                    // overlong slash
      {"\xE0\x80\xAF", "\\xE0\\x80\\xAF"},           // overlong
      {"\xED\xA0\x80", "\\xED\\xA0\\x80"},           // surrogate
      {"\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"},  // above U+10FFFF
      {"\xF8\x88\x80\x80\x80", "\\xF8\\x88\\x80\\x80\\x80"},
      {"\xE2\x82", "\\xE2\\x82"},  // cut
      {"\xE2\x82\xAC\xE2", "\xE2\x82\xAC\\xE2"},
  };
  for (const auto& one : cases) EXPECT_EQ(escaped(one.from), one.to);
}

TEST(Escape, NothingBeyondTheEndIsRead) {
  EXPECT_EQ(escaped({"\xE2\x82\xAC", 2}), "\\xE2\\x82");
  EXPECT_EQ(json({"\xE2\x82\xAC", 2}), "\\ufffd\\ufffd");
}

TEST(Escape, WritesWholeEscapesOnly) {
  char to[8] = {};
  EXPECT_EQ(escape("ab\x1b", to, 5), 2u);
  EXPECT_EQ(escape("ab\x1b", to, 6), 6u);
  EXPECT_EQ(escape("\xC3\xA4", to, 1), 0u);
  EXPECT_EQ(escape("\n", to, 1), 0u);
  EXPECT_EQ(escape("\n", to, 0), 0u);
  EXPECT_EQ(escape("x\ny", to, 2), 1u) << "nothing after what did not fit";
  EXPECT_EQ(escape("", to, 8), 0u);
  EXPECT_EQ(escape_json("\x01", to, 5), 0u);
  EXPECT_EQ(escape_json("\"", to, 1), 0u);
}

TEST(Escape, TheResultHoldsNoControlWhateverTheBytes) {
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    std::string from;
    const std::size_t size = random() % 64;
    for (std::size_t k = 0; k < size; ++k) from += static_cast<char>(random() % 256);
    for (char c : escaped(from)) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    ASSERT_EQ(escaped(escaped(from)).find('\n'), std::string::npos);
    for (char c : json(from)) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
}

TEST(AppendEscaped, PiecesEqualTheWhole) {
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    // Long runs of multi-byte characters and of stray continuation bytes around the piece boundary.
    std::string from(240 + random() % 20, 'x');
    for (int k = 0; k < 30; ++k) {
      switch (random() % 4) {
        case 0:
          from += "\xF0\x9F\x8E\x89";
          break;
        case 1:
          from += '\x80';
          break;
        case 2:
          from += "\xE2\x82\xAC";
          break;
        default:
          from += static_cast<char>(random() % 256);
      }
    }
    from += from;
    Text<8000> pieces;
    append_escaped(pieces, from);
    ASSERT_EQ(pieces.view(), escaped(from));
  }
}

// A text whose size is a multiple of the pieces' ends with the text: not a byte beyond it is read.
TEST(AppendEscaped, NothingBeyondTheEndIsRead) {
  for (std::size_t size = 248; size <= 260; ++size) {
    const std::string whole = std::string(size, 'x') + "\x80\x80\x80\x80\x80";
    Text<2000> cut;
    append_escaped(cut, {whole.data(), size});
    EXPECT_EQ(cut.view(), std::string(size, 'x'));
  }
}

TEST(EscapeJson, FollowsRfc8259) {
  EXPECT_EQ(json("a\"b\\c/d"), "a\\\"b\\\\c/d");
  EXPECT_EQ(json("\n\t\r\b\x1b\x7f"), "\\n\\t\\u000d\\u0008\\u001b\\u007f");
  EXPECT_EQ(json(std::string_view("\0", 1)), "\\u0000");
  EXPECT_EQ(json("Größe 日本 🎉"), "Größe 日本 🎉");
  EXPECT_EQ(json("\xff\xC3"), "\\ufffd\\ufffd");
  EXPECT_EQ(json("\xE2\x80\xA8\xE2\x80\xAE"), "\\u2028\\u202e");
  EXPECT_EQ(json("\xC2\x9B"), "\\u009b");
}

}  // namespace
}  // namespace atmost
