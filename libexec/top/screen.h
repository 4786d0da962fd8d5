// The terminal, by ncurses: draws a board, and reads keys.
#ifndef ATMOST_LIBEXEC_TOP_SCREEN_H
#define ATMOST_LIBEXEC_TOP_SCREEN_H

#include <optional>
#include <string>

#include "board.h"

namespace atmost::top {

// One at a time. From its construction to its destruction the terminal is ncurses's; then it is as
// it was before.
class Screen {
 public:
  // Throws Failure (unavailable) if $TERM is not known.
  Screen();
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  void draw(const Board& board, const std::string& where, const std::string& message);
  // The number of rows of the board that fit.
  std::size_t page() const;
  struct Press {
    Key key;
    std::string character;
  };
  // The next key that has come, without waiting. A resized screen has none, and is drawn anew by
  // the next draw().
  std::optional<Press> next();

 private:
  std::size_t first_ = 0;  // row on the screen's first line for rows
};

}  // namespace atmost::top

#endif
