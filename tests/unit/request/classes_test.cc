#include "request/classes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace atmost::request {
namespace {

class Fixed final : public Classes {
 public:
  explicit Fixed(std::set<std::string> set) : set_(std::move(set)) {}
  bool has(std::string_view name) override {
    asked.emplace_back(name);
    return set_.contains(std::string(name));
  }
  std::vector<std::string> asked;

 private:
  std::set<std::string> set_;
};

bool value_of(const std::string& text) {
  ExpressionFault fault;
  EXPECT_TRUE(check_expression(text, fault)) << text << ": " << fault.words.view();
  Fixed classes({"a", "b", "Hr02"});  // c and d are not set
  return evaluate(text, classes);
}

TEST(Classes, HaveTheirValues) {
  struct {
    const char* text;
    bool value;
  } const kTable[] = {
      {"a", true},
      {"c", false},
      {"!c", true},
      {"!!a", true},
      {"!!!a", false},
      {"a.b", true},
      {"a&b", true},
      {"a.c", false},
      {"c|a", true},
      {"c|d", false},
      {"a.b.c", false},
      {"(a)", true},
      {"((a|c).(b|d))", true},
      {"!(a.b)", false},
      {" a . b ", true},
      {"a\t&\n!c", true},
      {"A", false},
      {"Hr02.a", true},
      {"! a", false},
      {"!(c|d).a", true},
  };
  for (const auto& row : kTable) EXPECT_EQ(value_of(row.text), row.value) << row.text;
}

TEST(Classes, BindAsCfengineDoes) {
  EXPECT_TRUE(value_of("a|b.c"));    // a|(b.c), not (a|b).c
  EXPECT_TRUE(value_of("c.d|a"));    // (c.d)|a
  EXPECT_FALSE(value_of("!a.c"));    // (!a).c, not !(a.c)
  EXPECT_TRUE(value_of("!c.a"));     // (!c).a
  EXPECT_TRUE(value_of("!a|b"));     // (!a)|b, not !(a|b)
  EXPECT_TRUE(value_of("a|c&d.c"));  // the dot and the ampersand bind alike
}

TEST(Classes, AskOnlyWhatMatters) {
  struct {
    const char* text;
    std::vector<std::string> asked;
  } const kTable[] = {
      {"c.a", {"c"}},  {"a|b", {"a"}},        {"c.(a|b)|b", {"c", "b"}}, {"a.c.b", {"a", "c"}},
      {"!a.b", {"a"}}, {"c|a|b", {"c", "a"}}, {"(a|b).c", {"a", "c"}},
  };
  for (const auto& row : kTable) {
    Fixed classes({"a", "b"});
    evaluate(row.text, classes);
    EXPECT_EQ(classes.asked, row.asked) << row.text;
  }
}

TEST(Classes, SayWhereTheyAreWrong) {
  struct {
    const char* text;
    std::size_t at;
  } const kTable[] = {
      {"", 0},           {"   ", 3},    {"a b", 2},  {"a||b", 2},    {"a&&b", 2},     {"a..b", 2},
      {".a", 0},         {"a.", 2},     {"!", 1},    {"(a", 2},      {"a)", 1},       {"()", 1},
      {"a-b", 1},        {"a|(b.c", 6}, {"Hr24", 0}, {"a.Day32", 2}, {"Min03_08", 0}, {"(a b)", 3},
      {"a.\xC3\xA9", 2}, {"a=b", 1},    {"a !b", 2},
  };
  for (const auto& row : kTable) {
    ExpressionFault fault;
    EXPECT_FALSE(check_expression(row.text, fault)) << row.text;
    EXPECT_EQ(fault.at, row.at) << row.text << ": " << fault.words.view();
    EXPECT_FALSE(fault.words.empty()) << row.text;
  }
}

TEST(Classes, DoNotTakeANulForTheEnd) {
  ExpressionFault fault;
  EXPECT_FALSE(check_expression(std::string_view("a\0|b", 4), fault));
  EXPECT_EQ(fault.at, 1U);
}

TEST(Classes, MayBeNestedButNotForEver) {
  ExpressionFault fault;
  EXPECT_TRUE(check_expression(std::string(64, '(') + "a" + std::string(64, ')'), fault));
  EXPECT_FALSE(check_expression(std::string(65, '(') + "a" + std::string(65, ')'), fault));
  EXPECT_EQ(fault.at, 64U);
  EXPECT_FALSE(check_expression(std::string(1'000'000, '('), fault));
  EXPECT_TRUE(check_expression(std::string(1'000'000, '!') + "a", fault));
  std::string wide = "(a)";
  for (int i = 0; i < 1000; ++i) wide += "|(a)";  // beside one another, not in one another
  EXPECT_TRUE(check_expression(wide, fault));
}

TEST(Classes, TellTheirNames) {
  struct : NameVisitor {
    std::vector<std::string> names;
    void name(std::string_view name) override { names.emplace_back(name); }
  } visitor;
  ExpressionFault fault;
  EXPECT_TRUE(check_expression("web_1.(Hr02|!Monday)", fault, &visitor));
  EXPECT_EQ(visitor.names, (std::vector<std::string>{"web_1", "Hr02", "Monday"}));
}

}  // namespace
}  // namespace atmost::request
