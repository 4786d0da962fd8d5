#include "screen.h"

#include <curses.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <cstdlib>
#include <cwchar>

#include "core/words.h"
#include "reader/output.h"

namespace atmost::top {
namespace {

constexpr int kAbove = 3;  // where, the totals, the heads
constexpr int kBelow = 1;  // the prompt
constexpr std::size_t kColumns = 8;
using Cells = std::array<std::wstring, kColumns>;
const Cells kHeads = {L"LOCK", L"SLOT", L"STATE", L"PID", L"USER", L"AGE", L"EXPIRES", L"COMMAND"};

// For the screen: no controls, and a character that the locale cannot show as "?".
std::wstring wide(const std::string& text) {
  const std::string safe = history::escaped(text);
  std::wstring to;
  std::mbstate_t state{};
  for (const char* at = safe.c_str(); *at != '\0';) {
    wchar_t one = L'?';
    const std::size_t used = std::mbrtowc(&one, at, MB_CUR_MAX, &state);
    const bool good = used != static_cast<std::size_t>(-1) && used != static_cast<std::size_t>(-2);
    if (!good) state = {};
    to += good && wcwidth(one) >= 0 ? one : L'?';
    at += good ? used : 1;
  }
  return to;
}

int cells_of(const std::wstring& text) { return std::max(0, wcswidth(text.c_str(), text.size())); }

// Writes the beginning of the text, as much as fits.
std::wstring cut(std::wstring text, int cells) {
  while (cells_of(text) > cells) text.pop_back();
  return text;
}

std::string span(double seconds) {
  return std::string(duration_words(Duration{static_cast<std::int64_t>(seconds * 1e9)}).view());
}

Cells cells_of_row(const Row& row) {
  std::string state = row.state;
  if (row.position != 0) state += " " + std::to_string(row.position);
  std::string pid = row.pid > 0 ? std::to_string(row.pid) : "-";
  if (row.pid > 0 && !row.verified && row.position == 0) pid += "?";
  if (!row.host.empty()) pid += "@" + row.host;
  std::string expires = "-";
  if (row.expires_s) expires = *row.expires_s <= 0 ? "overdue" : span(*row.expires_s);
  const auto or_dash = [](const std::string& text) { return text.empty() ? "-" : text; };
  return {wide(row.lock),
          wide(row.slot != 0 ? std::to_string(row.slot) : "-"),
          wide(state),
          wide(pid),
          wide(or_dash(row.user)),
          wide(row.age_s && *row.age_s >= 0 ? span(*row.age_s) : "-"),
          wide(expires),
          wide(or_dash(row.command))};
}

using Widths = std::array<int, kColumns>;

// As wide as the content; until a line fits, columns with "-" in all rows behind the first, the
// heads, are left out (0), then the widest made narrower.
Widths fit(const std::vector<Cells>& rows, int columns) {
  constexpr int kGap = 2;
  constexpr int kLeast = 6;
  Widths widths{};
  int total = kGap * static_cast<int>(kColumns - 1);
  for (std::size_t i = 0; i < kColumns; ++i) {
    for (const Cells& row : rows) widths[i] = std::max(widths[i], cells_of(row[i]));
    total += widths[i];
  }
  for (std::size_t i = 1; i < kColumns && total > columns; ++i) {
    const bool empty =
        std::all_of(rows.begin() + 1, rows.end(), [i](const Cells& row) { return row[i] == L"-"; });
    if (!empty) continue;
    total -= widths[i] + kGap;
    widths[i] = 0;
  }
  while (total > columns) {
    int& widest = *std::max_element(widths.begin(), widths.end());
    if (widest <= kLeast) break;
    --widest;
    --total;
  }
  return widths;
}

void put_line(int line, const std::wstring& text, attr_t how) {
  move(line, 0);
  attrset(how);
  const std::wstring shown = cut(text, COLS);
  addnwstr(shown.c_str(), static_cast<int>(shown.size()));
  // Also the rest of a chosen line is marked.
  if (how != A_NORMAL) {
    for (int at = cells_of(shown); at < COLS; ++at) addch(' ');
  }
  attrset(A_NORMAL);
}

std::wstring line_of(const Cells& row, const Widths& widths) {
  std::wstring line;
  for (std::size_t i = 0; i < kColumns; ++i) {
    if (widths[i] == 0) continue;
    const std::wstring cell = cut(row[i], widths[i]);
    line += cell;
    if (i + 1 < kColumns)
      line.append(static_cast<std::size_t>(std::max(0, widths[i] - cells_of(cell)) + 2), L' ');
  }
  return line;
}

}  // namespace

Screen::Screen() {
  setlocale(LC_CTYPE, "");
  const char* kind = getenv("TERM");
  if (newterm(nullptr, stdout, stdin) == nullptr) {
    throw history::Failure(Code::unavailable,
                           std::string("top: the terminal \"") + (kind != nullptr ? kind : "") +
                               "\" is not known: set TERM, or use atmost list --watch");
  }
  cbreak();
  noecho();
  nodelay(stdscr, TRUE);
  keypad(stdscr, TRUE);
  set_escdelay(50);
  curs_set(0);
}

Screen::~Screen() { endwin(); }

std::size_t Screen::page() const {
  return static_cast<std::size_t>(std::max(1, LINES - kAbove - kBelow));
}

void Screen::draw(const Board& board, const std::string& where, const std::string& message) {
  const auto& rows = board.visible();
  const std::size_t room = page();
  if (board.selected() < first_) first_ = board.selected();
  if (board.selected() >= first_ + room) first_ = board.selected() - room + 1;
  if (first_ + room > rows.size()) first_ = rows.size() > room ? rows.size() - room : 0;
  const std::size_t end = std::min(rows.size(), first_ + room);
  std::vector<Cells> shown = {kHeads};
  for (std::size_t i = first_; i < end; ++i) shown.push_back(cells_of_row(*rows[i]));
  const Widths widths = fit(shown, COLS);
  erase();
  put_line(0, wide(where), A_NORMAL);
  put_line(1, wide(board.summary()), A_NORMAL);
  put_line(2, line_of(kHeads, widths), A_BOLD);
  for (std::size_t i = first_; i < end; ++i) {
    const bool overdue = rows[i]->expires_s && *rows[i]->expires_s <= 0;
    const attr_t how = i == board.selected() ? A_REVERSE : overdue ? A_BOLD : A_NORMAL;
    put_line(kAbove + static_cast<int>(i - first_), line_of(shown[i - first_ + 1], widths), how);
  }
  put_line(LINES - 1, wide(message.empty() ? board.prompt() : message), A_NORMAL);
  refresh();
}

std::optional<Screen::Press> Screen::next() {
  wint_t got = 0;
  const int kind = get_wch(&got);
  if (kind == ERR) return std::nullopt;
  if (kind == KEY_CODE_YES) {
    switch (got) {
      case KEY_UP:
        return Press{Key::up, ""};
      case KEY_DOWN:
        return Press{Key::down, ""};
      case KEY_PPAGE:
        return Press{Key::page_up, ""};
      case KEY_NPAGE:
        return Press{Key::page_down, ""};
      case KEY_HOME:
        return Press{Key::home, ""};
      case KEY_END:
        return Press{Key::end, ""};
      case KEY_ENTER:
        return Press{Key::enter, ""};
      case KEY_BACKSPACE:
        return Press{Key::backspace, ""};
      default:
        return next();
    }
  }
  if (got == L'\n' || got == L'\r') return Press{Key::enter, ""};
  if (got == 27) return Press{Key::escape, ""};
  if (got == 127 || got == 8) return Press{Key::backspace, ""};
  char bytes[16];
  std::mbstate_t state{};
  const std::size_t size = std::wcrtomb(bytes, static_cast<wchar_t>(got), &state);
  if (got < 32 || size == static_cast<std::size_t>(-1)) return next();
  return Press{Key::character, std::string(bytes, size)};
}

}  // namespace atmost::top
