#include "table.h"

#include "core/words.h"

namespace atmost::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeast = 8;

void pad(Output& to, std::size_t count) {
  for (; count > 0; --count) to.text(" ");
}

// Returns how many cells it wrote.
std::size_t write_cut(Output& to, std::string_view cell, std::size_t width) {
  const bool path = cell.find('/') < cell.size();
  const std::size_t room = width > 0 ? width - 1 : 0;
  const std::string_view kept = path ? end_of_width(cell, room) : cut_to_width(cell, room);
  to.text(path ? "\u2026" : "").text(kept).text(path ? "" : "\u2026");
  return display_width(kept) + 1;
}

}  // namespace

void Table::measure(const Row& row) {
  for (unsigned i = 0; i < kColumns; ++i) {
    const std::size_t width = display_width(row.cells[i]);
    if (width > widths_[i]) widths_[i] = width;
    if (row.style != Style::heads && row.cells[i] != "-") used_[i] = true;
  }
}

void Table::fit(unsigned columns) {
  if (columns == 0) return;
  std::size_t total = kGap * (kColumns - 1);
  for (std::size_t width : widths_) total += width;
  for (unsigned i = 1; i < kColumns && total > columns; ++i) {
    left_out_[i] = !used_[i];
    if (left_out_[i]) total -= widths_[i] + kGap;
  }
  while (total > columns) {
    // Takes one cell at a time from the widest column, so that equal columns shrink together.
    unsigned widest = 0;
    for (unsigned i = 1; i < kColumns; ++i) {
      if (!left_out_[i] && widths_[i] > widths_[widest]) widest = i;
    }
    if (widths_[widest] <= kLeast) return;
    --widths_[widest];
    --total;
  }
}

void Table::write(Output& to, const Row& row) const {
  constexpr std::string_view kBegin[] = {"", "\x1b[1m", "\x1b[2m", "\x1b[31m"};
  const bool styled = colours_ && row.style != Style::plain;
  if (styled) to.text(kBegin[static_cast<unsigned>(row.style)]);
  std::size_t owed = 0;  // blanks are written only before something that is not blank
  for (unsigned i = 0; i < kColumns; ++i) {
    if (left_out_[i]) continue;
    std::size_t width = display_width(row.cells[i]);
    if (width > 0) pad(to, owed);
    owed = width > 0 ? 0 : owed;
    if (width <= widths_[i]) {
      to.text(row.cells[i]);
    } else {
      width = write_cut(to, row.cells[i], widths_[i]);
    }
    owed += (widths_[i] > width ? widths_[i] - width : 0) + kGap;
  }
  to.text(styled ? "\x1b[0m" : "").text(end_);
}

void write_plain(Output& to, const Row& row) {
  for (unsigned i = 0; i < kColumns; ++i) to.text(i > 0 ? "\t" : "").text(row.cells[i]);
  to.text("\n");
}

}  // namespace atmost::cli
