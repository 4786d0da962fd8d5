// The output of every program of the back tier: texts out of a log made fit for a terminal, the
// sentence of an error, rows for people or for programs.
#ifndef ATMOST_LIBEXEC_READER_OUTPUT_H
#define ATMOST_LIBEXEC_READER_OUTPUT_H

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace atmost::history {

// Ends the program: a sentence, and the exit code.
struct Failure : std::runtime_error {
  Failure(Code exit_code, const std::string& message)
      : std::runtime_error(message), code(exit_code) {}
  explicit Failure(const Error& error) : Failure(error.code, std::string(error.message.view())) {}
  Code code;
};

// One line on standard error, "atmost: " before it, safe to show.
void complain(const std::string& message);

// Flushes standard output; throws Failure if something could not be written.
void finish_output();

// Writes `text` to standard output and flushes it. Returns 0, the exit code; throws Failure if it
// could not be written.
int print(const std::string& text);

// The body of main(): runs the program, and ends it with the exit code of its Failure.
int run_guarded(int (*run)(int argc, char** argv), int argc, char** argv);

// The text of a JSON string in a line.
std::string text_of(std::string_view raw);

// Any bytes as `escape` (core/words.h) shows them, whatever their length.
std::string escaped(std::string_view text);

// The decoded text of a JSON string in a line, escaped so that it may be shown.
std::string shown(std::string_view raw);

// True if a line is free of bytes that a terminal would obey. Our own lines are; a line that
// another user put into the log may not be.
bool is_safe(std::string_view line);

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
