// Rows for people, fitted to a terminal, or for programs.
#ifndef ATMOST_LIBEXEC_READER_TABLE_H
#define ATMOST_LIBEXEC_READER_TABLE_H

#include <string>
#include <vector>

namespace atmost::history {

struct Paper {
  bool terminal = false;  // else a tab stands between all columns, and nothing is drawn
  bool utf8 = false;      // bars may be drawn with blocks
  unsigned width = 0;     // of the terminal; 0: not known
};

// Standard output. Sets LC_CTYPE.
Paper look_at_paper();

struct Column {
  std::string head;
  bool left = false;    // words, not numbers
  bool always = false;  // shown even if it is empty everywhere
  // Where the paper is too narrow the column with the highest number goes first; 0: it stays.
  unsigned goes = 0;
};
using Row = std::vector<std::string>;

// The heads, then the rows: a cell for each column. On a terminal columns that are empty in all
// rows are left out, then, for as long as the rest is wider than the paper, those that go; the
// first column, a name, is cut to what the others leave it, but not below 8 cells.
std::string table(const std::vector<Column>& columns, const std::vector<Row>& rows,
                  const Paper& paper);

// The name, cut to so many cells: a path keeps its end.
std::string cut_name(const std::string& name, std::size_t cells, bool utf8);

}  // namespace atmost::history

#endif
