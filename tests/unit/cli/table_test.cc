#include "cli/table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "core/words.h"

namespace atmost::cli {
namespace {

template <class Write>
std::string written(Write write) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  {
    Output to(ends[1]);
    write(to);
    EXPECT_TRUE(to.flush());
  }
  close(ends[1]);
  std::string all;
  char piece[512];
  for (ssize_t got; (got = read(ends[0], piece, sizeof piece)) > 0;)
    all.append(piece, static_cast<std::size_t>(got));
  close(ends[0]);
  return all;
}

TEST(Table, AlignsByCellsAndLeavesNoBlanksBehind) {
  const Row rows[] = {{{"LOCK", "S", "", "", "", "", "", "", "CMD"}},
                      {{"日本", "1", "", "", "", "", "", "", "x"}}};
  Table table;
  for (const Row& row : rows) table.measure(row);
  table.fit(0);
  const std::string text = written([&](Output& to) {
    for (const Row& row : rows) table.write(to, row);
  });
  EXPECT_EQ(text, "LOCK  S              CMD\n日本  1              x\n");
}

TEST(Table, FitsTheTerminal) {
  const std::string lock(60, 'l');
  const std::string command(60, 'c');
  const Row row = {{lock, "1", "held", "12345", "root", "3m12s", "-", "-", command}};
  for (unsigned columns : {200u, 132u, 80u, 70u}) {
    Table table;
    table.measure(row);
    table.fit(columns);
    const std::string text = written([&](Output& to) { table.write(to, row); });
    EXPECT_LE(display_width(text) - 1, columns) << text;
    EXPECT_NE(text.find("12345"), std::string::npos) << "short columns stay whole";
  }
  Table narrow;
  narrow.measure(row);
  narrow.fit(10);
  const std::string text = written([&](Output& to) { narrow.write(to, row); });
  EXPECT_NE(text.find("lllllll\u2026  1  held  12345"), std::string::npos) << text;
}

TEST(Table, PathsKeepTheirEnd) {
  const Row row = {
      {"/srv/locks/日本", "1", "held", "2", "u", "3s", "x", "y", "/opt/jobs/nightly.sh"}};
  Table table;
  table.measure(row);
  table.fit(46);
  const std::string text = written([&](Output& to) { table.write(to, row); });
  EXPECT_EQ(text, "\u2026cks/日本  1  held  2  u  3s  x  y  \u2026ightly.sh\n");
}

TEST(Table, LeavesOutWhatNoRowHasBeforeItCutsAnything) {
  const Row heads = {{"LOCK", "SLOT", "STATE", "PID", "USER", "AGE", "EXPIRES", "ID", "COMMAND"},
                     Style::heads};
  const Row rows[] = {{{"one", "1", "held", "2", "u", "3s", "-", "-", "/opt/jobs/nightly.sh"}},
                      {{"two", "-", "waiting 1st", "2", "u", "3s", "-", "-", "sh"}}};
  for (const unsigned columns : {80u, 70u}) {
    Table table;
    for (const Row& row : rows) table.measure(row);
    table.measure(heads);
    table.fit(columns);
    const std::string text = written([&](Output& to) {
      table.write(to, heads);
      for (const Row& row : rows) table.write(to, row);
    });
    EXPECT_EQ(text.find("EXPIRES") != std::string::npos, columns == 80) << text;
    EXPECT_NE(text.find("SLOT"), std::string::npos) << text;
    EXPECT_NE(text.find("/opt/jobs/nightly.sh"), std::string::npos) << text;
  }
}

TEST(Plain, HasTabsBetweenCells) {
  const Row row = {{"a b", "1", "held", "2", "u", "3s", "-", "-", "c"}};
  EXPECT_EQ(written([&](Output& to) { write_plain(to, row); }),
            "a b\t1\theld\t2\tu\t3s\t-\t-\tc\n");
}

TEST(Output, LongTextsAreWhole) {
  std::string all;
  for (int i = 0; i < 3000; ++i) all += std::to_string(i) + "\n";
  EXPECT_EQ(written([&](Output& to) { to.text(all); }), all);
  EXPECT_EQ(written([&](Output& to) {
              for (int i = 0; i < 3000; ++i) to.number(static_cast<std::uint64_t>(i)).text("\n");
            }),
            all);
  const std::string bytes(5000, '\x1b');
  EXPECT_EQ(written([&](Output& to) { to.escaped(bytes); }).size(), 4 * bytes.size());
}

TEST(Output, ReportsAFullDiskAndForgivesAVanishedReader) {
  Output closed(-1);
  closed.text("x");
  EXPECT_FALSE(closed.finish().ok());
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  Output unread(ends[1]);
  unread.text("x");
  EXPECT_FALSE(unread.flush());
  EXPECT_TRUE(unread.finish().ok());
  close(ends[1]);
}

}  // namespace
}  // namespace atmost::cli
