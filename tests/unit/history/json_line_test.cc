// The front tier's writer of JSON: with any values and any size of memory, the line is JSON and
// ends within it.
#include "core/json_line.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "reader/record.h"

namespace atmost {
namespace {

constexpr std::string_view kEnd = "}\n";

// Memory of its own, so that a sanitizer sees each byte behind it.
std::string written(std::size_t room, std::size_t kept, auto write) {
  const std::unique_ptr<char[]> memory(new char[room]);
  JsonLine line({memory.get(), room}, kept);
  write(line);
  return std::string(line.finish());
}

bool is_json(std::string_view line) {
  if (!line.ends_with(kEnd)) return false;
  history::Cursor cursor({line.data(), line.size() - 1});
  history::Value object;
  return cursor.value(object) && object.kind == history::Value::Kind::object && cursor.done();
}

void write_everything(JsonLine& line) {
  const std::string ugly(300, '\x01');
  std::string word = "a\"b";
  char* words[] = {word.data(), word.data(), nullptr};
  const std::uint32_t slots[] = {1, 4294967295, 3};
  line.text("lock", ugly).number("max", UINT64_MAX).word("mode", "plain").numbers("slots", slots);
  line.texts("args", words).micros("at", INT64_MIN).seconds("age", {1'500'000'000});
  line.truth("yes", true).null("none").signed_number("code", -1).text("why", "short");
}

TEST(JsonLine, IsWholeInAnyMemory) {
  for (const std::size_t kept : {std::size_t{0}, std::size_t{40}, JsonLine::kKept}) {
    for (std::size_t room = 0; room < 3000; ++room) {
      const std::string line = written(room, kept, write_everything);
      ASSERT_LE(line.size(), room);
      if (room < 16) {
        ASSERT_TRUE(line.empty() || is_json(line)) << line;
        continue;
      }
      ASSERT_TRUE(is_json(line)) << room << ": " << line;
    }
  }
}

TEST(JsonLine, SaysThatItIsCut) {
  const auto write = [](JsonLine& line) { line.text("lock", "abcdefgh").number("max", 1); };
  EXPECT_EQ(written(100, 0, write), "{\"lock\":\"abcdefgh\",\"max\":1}\n");
  EXPECT_EQ(written(40, 8, write), "{\"lock\":\"abcde\",\"max\":1,\"cut\":true}\n");
  EXPECT_EQ(written(24, 8, write), "{\"max\":1,\"cut\":true}\n");
  EXPECT_EQ(written(14, 0, write), "{\"cut\":true}\n");
}

// A text gets half of the free bytes, and leaves `kept` bytes for the other values.
TEST(JsonLine, KeepsRoomForNumbers) {
  const std::string line = written(1000, 100, [](JsonLine& to) {
    const std::string ugly(5000, '\x01');
    for (int i = 0; i < 20; ++i) to.text("t", ugly);
    to.number("first", UINT64_MAX).number("second", UINT64_MAX);
  });
  EXPECT_NE(
      line.find("\"first\":18446744073709551615,\"second\":18446744073709551615,\"cut\":true"),
      std::string::npos)
      << line;
}

}  // namespace
}  // namespace atmost
