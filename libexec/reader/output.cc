#include "reader/output.h"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "core/words.h"
#include "reader/record.h"

namespace atmost::history {

void complain(const std::string& message) {
  const std::string words = escaped(message);
  std::fprintf(stderr, "atmost: %s\n", words.c_str());
}

void finish_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    throw Failure(Code::io, std::string("standard output: cannot write: ") + std::strerror(errno));
  }
}

int print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  finish_output();
  return 0;
}

int run_guarded(int (*run)(int argc, char** argv), int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const Failure& failure) {
    complain(failure.what());
    return static_cast<int>(failure.code);
  }
}

namespace {

constexpr std::size_t kPiece = 256;
constexpr std::size_t kLongestEscape = 4;  // \xHH

// Eight bytes at a time: every line of every log comes through here.
bool is_printable(std::string_view text) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  std::uint64_t odd = 0;  // in the topmost bits of its bytes
  for (; text.size() >= sizeof odd; text.remove_prefix(sizeof odd)) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), sizeof word);
    // Below 0x20 borrows, 0x7f carries; what these do to the next byte does not matter any more.
    odd |= word | (word - 0x20 * kEach) | (word + kEach);
  }
  bool plain = (odd & (0x80 * kEach)) == 0;
  for (unsigned char c : text) plain &= c >= 0x20 && c < 0x7f;
  return plain;
}

}  // namespace

std::string text_of(std::string_view raw) {
  std::string text(raw.size(), '\0');  // no escape is shorter than what it stands for
  text.resize(unescape_json(raw, text.data(), text.size()));
  return text;
}

std::string escaped(std::string_view text) {
  std::string to;
  while (!text.empty()) {
    const std::size_t piece = whole_characters(text, kPiece);
    char room[kLongestEscape * kPiece];
    to.append(room, escape(text.substr(0, piece), room, sizeof room));
    text.remove_prefix(piece);
  }
  return to;
}

std::string shown(std::string_view raw) {
  if (raw.find('\\') != std::string_view::npos) return escaped(text_of(raw));
  return is_printable(raw) ? std::string(raw) : escaped(raw);
}

bool is_safe(std::string_view line) {
  if (is_printable(line)) return true;
  while (!line.empty()) {
    const std::size_t piece = whole_characters(line, kPiece);
    const std::string_view part = line.substr(0, piece);
    char room[kLongestEscape * kPiece];
    const auto backslashes = static_cast<std::size_t>(std::count(part.begin(), part.end(), '\\'));
    if (escape(part, room, sizeof room) != piece + backslashes) return false;
    line.remove_prefix(piece);
  }
  return true;
}

namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kShortName = 16;
constexpr std::size_t kLeastName = 8;

std::size_t width_of_column(const Column& column, const std::vector<Row>& rows, std::size_t index) {
  std::size_t width = display_width(column.head);
  for (const Row& row : rows) width = std::max(width, display_width(row[index]));
  return width;
}

bool is_empty(const std::vector<Row>& rows, std::size_t index) {
  return std::all_of(rows.begin(), rows.end(),
                     [index](const Row& row) { return row[index].empty(); });
}

// The columns that a terminal shows: indices, in order.
std::vector<std::size_t> chosen_columns(const std::vector<Column>& columns,
                                        const std::vector<Row>& rows, unsigned width) {
  std::vector<std::size_t> chosen;
  std::size_t total = 0;
  std::vector<std::size_t> widths(columns.size(), 0);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].always && is_empty(rows, i)) continue;
    chosen.push_back(i);
    widths[i] = width_of_column(columns[i], rows, i) + kGap;
    // A long name is cut before a column is left out.
    total += i == 0 ? std::min(widths[i], kShortName + kGap) : widths[i];
  }
  while (width > 0 && total > width + kGap) {
    const auto first =
        std::max_element(chosen.begin(), chosen.end(), [&](std::size_t one, std::size_t other) {
          return columns[one].goes < columns[other].goes;
        });
    if (first == chosen.end() || columns[*first].goes == 0) break;
    total -= widths[*first];
    chosen.erase(first);
  }
  return chosen;
}

std::string tabbed(const std::vector<Column>& columns, const std::vector<Row>& rows) {
  std::string to;
  for (std::size_t i = 0; i < columns.size(); ++i)
    to.append(i > 0 ? "\t" : "").append(columns[i].head);
  to.push_back('\n');
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) to.append(i > 0 ? "\t" : "").append(row[i]);
    to.push_back('\n');
  }
  return to;
}

}  // namespace

Paper look_at_paper() {
  Paper paper;
  paper.terminal = isatty(STDOUT_FILENO) == 1;
  std::setlocale(LC_CTYPE, "");
  paper.utf8 = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  struct winsize size = {};
  if (paper.terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) paper.width = size.ws_col;
  return paper;
}

std::string cut_name(const std::string& name, std::size_t cells, bool utf8) {
  if (display_width(name) <= cells) return name;
  const std::string mark = utf8 ? "…" : "~";
  const std::size_t room = cells > 0 ? cells - 1 : 0;
  if (name.find('/') != std::string::npos) return mark + std::string(end_of_width(name, room));
  return std::string(cut_to_width(name, room)) + mark;
}

std::string table(const std::vector<Column>& columns, const std::vector<Row>& rows,
                  const Paper& paper) {
  if (!paper.terminal) return tabbed(columns, rows);
  const std::vector<std::size_t> chosen = chosen_columns(columns, rows, paper.width);
  std::vector<std::size_t> widths;
  std::size_t others = 0;
  for (const std::size_t index : chosen) {
    widths.push_back(width_of_column(columns[index], rows, index));
    if (index != chosen.front()) others += widths.back() + kGap;
  }
  if (paper.width > 0 && widths.front() + others > paper.width) {
    widths.front() = std::max(kLeastName, paper.width > others ? paper.width - others : 0);
  }
  std::string to;
  const auto write = [&](const auto& cell_of) {
    std::string line;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::string cell = cell_of(chosen[i]);
      if (i == 0) cell = cut_name(cell, widths[0], paper.utf8);
      const std::string pad(widths[i] - std::min(widths[i], display_width(cell)), ' ');
      line.append(i > 0 ? kGap : 0, ' ').append(columns[chosen[i]].left ? cell + pad : pad + cell);
    }
    to.append(line.erase(line.find_last_not_of(' ') + 1)).push_back('\n');
  };
  write([&](std::size_t index) { return columns[index].head; });
  for (const Row& row : rows) write([&](std::size_t index) { return row[index]; });
  return to;
}

}  // namespace atmost::history
