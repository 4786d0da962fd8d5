#include "reader/record.h"

#include <gtest/gtest.h>

#include <string>

namespace atmost::history {
namespace {

bool is_json(std::string_view text) {
  Cursor cursor(text);
  Value value;
  return cursor.value(value) && cursor.done();
}

TEST(Cursor, TakesJsonAndNothingElse) {
  for (const char* good :
       {"0", "-0", "12", "-1.5", "1e9", "2.5E-3", "\"\"", "\"a\\u00e9\\n\\\\\\/\"", "[]",
        "[1,[2],{}]", "{}", "{\"a\":1,\"b\":[true,false,null]}", " { \"a\" : 1 } "}) {
    EXPECT_TRUE(is_json(good)) << good;
  }
  for (const char* bad :
       {"",        "01",          "1.",      ".5",     "+1",   "1e",  "-",       "\"",
        "\"\\x\"", "\"\\u12g4\"", "\"\\u12", "\"\n\"", "[1,]", "[1",  "{\"a\"}", "{\"a\":}",
        "{a:1}",   "{\"a\":1,}",  "tru",     "nul",    "1 2",  "'a'", "\"a\\"}) {
    EXPECT_FALSE(is_json(bad)) << bad;
  }
}

TEST(Cursor, RefusesWhatIsTooDeep) {
  EXPECT_TRUE(is_json(std::string(10, '[') + std::string(10, ']')));
  EXPECT_FALSE(is_json(std::string(100000, '[') + std::string(100000, ']')));
}

std::string unescaped(std::string_view raw, std::size_t room = 100) {
  std::string to(room, '#');
  to.resize(unescape_json(raw, to.data(), room));
  return to;
}

TEST(Unescape, GivesTheBytes) {
  EXPECT_EQ(unescaped("plain"), "plain");
  EXPECT_EQ(unescaped(R"(\"\\\/\b\f\n\r\t)"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(unescaped(R"(\u0041\u00e9\u20AC\ud83d\ude00)"),
            "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(unescaped(R"(\ud83dx\ude00\ud83d\u0041)"),
            "\xEF\xBF\xBDx\xEF\xBF\xBD\xEF\xBF\xBD"
            "A");
  EXPECT_EQ(unescaped("a\xC3\xA9", 2), "a");
  EXPECT_EQ(unescaped(R"(a\u00e9)", 2), "a");
}

TEST(Billionths, KeepsNineDigits) {
  const struct {
    const char* text;
    std::int64_t value;
  } cases[] = {
      {"0", 0},           {"1", 1'000'000'000}, {"-1.5", -1'500'000'000},
      {"0.000001", 1000}, {"0.0000000019", 1},  {"1795246157.123456", 1'795'246'157'123'456'000}};
  for (const auto& one : cases) {
    std::int64_t value = -1;
    EXPECT_TRUE(billionths(one.text, value)) << one.text;
    EXPECT_EQ(value, one.value) << one.text;
  }
  std::int64_t value = 0;
  for (const char* bad : {"1e3", "9300000000", "99999999999999999999999"})
    EXPECT_FALSE(billionths(bad, value)) << bad;
}

TEST(WholeNumber, IsWholeAndFits) {
  std::int64_t value = 0;
  EXPECT_TRUE(whole_number("9223372036854775807", value));
  EXPECT_EQ(value, INT64_MAX);
  for (const char* bad : {"", "-1", "1.0", "1e3", "9223372036854775808"})
    EXPECT_FALSE(whole_number(bad, value)) << bad;
}

}  // namespace
}  // namespace atmost::history
