#include "reader/output.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace atmost::history {
namespace {

TEST(TableOfRows, FitsEachWidth) {
  const std::vector<Column> columns = {{"LOCK", true, true},
                                       {"A"},
                                       {"EMPTY"},
                                       {"SECOND", false, false, 1},
                                       {"FIRST", true, false, 2}};
  const std::vector<Row> rows = {
      {"a-long-name-of-a-lock", "1", "", "22222222", "words that are long"},
      {"/a/path/of/a/lock/file", "1", "", "2", ""}};
  for (const unsigned width : {200u, 60u, 40u, 30u, 20u, 12u}) {
    const std::string text = table(columns, rows, {true, false, width});
    EXPECT_EQ(text.find("EMPTY"), std::string::npos);
    EXPECT_EQ(text.find("FIRST") != std::string::npos, width >= 60) << text;
    EXPECT_EQ(text.find("SECOND") != std::string::npos, width >= 30) << text;
    std::size_t begun = 0;
    for (std::size_t end; (end = text.find('\n', begun)) != std::string::npos; begun = end + 1)
      EXPECT_LE(end - begun, width) << text;
  }
  EXPECT_EQ(cut_name("a-long-name", 6, false), "a-lon~");
  EXPECT_EQ(cut_name("/a/long/path", 6, true), "…/path");
  EXPECT_EQ(cut_name("äöüäöü", 3, true), "äö…");
  EXPECT_EQ(cut_name("日本語", 5, true), "日本…") << "two cells each";
  EXPECT_EQ(table({{"L"}, {"A"}}, {{"日本", "1"}, {"abcd", "2"}}, {true, true, 20}),
            "   L  A\n日本  1\nabcd  2\n");
  EXPECT_NE(table(columns, rows, {}).find("LOCK\tA\tEMPTY\tSECOND\tFIRST\n"), std::string::npos);
}

}  // namespace
}  // namespace atmost::history
