// Columns for people: each as wide as its content, together no wider than the terminal.
#ifndef ATMOST_CLI_TABLE_H
#define ATMOST_CLI_TABLE_H

#include <cstddef>
#include <string_view>

#include "output.h"

namespace atmost::cli {

inline constexpr unsigned kColumns = 9;

enum class Style : unsigned char { plain, heads, faint, alarming };

// One line; the cells are escaped already.
struct Row {
  std::string_view cells[kColumns];
  Style style = Style::plain;
};

// Measure every row, fit once, then write every row. Rows written may differ from those measured:
// a cell that is too wide is cut, with an ellipsis: a path at its beginning, any other text at its
// end.
class Table {
 public:
  // Rows show their style, by escape sequences of ECMA-48.
  void colour() { colours_ = true; }
  // Each line clears the rest of its line on the screen, for a table that is written over another.
  void overwrite() { end_ = "\x1b[K\n"; }
  std::string_view end_of_line() const { return end_; }
  void measure(const Row& row);
  // Until a line fits `columns` cells, leaves out columns with "-" in all measured rows, then
  // narrows the widest; a column keeps at least eight. 0: no limit.
  void fit(unsigned columns);
  // Columns padded with blanks, two between them; none behind the last.
  void write(Output& to, const Row& row) const;

 private:
  std::size_t widths_[kColumns] = {};
  bool used_[kColumns] = {};  // some row has more than "-" there
  bool left_out_[kColumns] = {};
  bool colours_ = false;
  std::string_view end_ = "\n";
};

// The row with tabs between the cells, for programs that split.
void write_plain(Output& to, const Row& row);

}  // namespace atmost::cli

#endif
