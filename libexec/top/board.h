// The content of atmost top and its change by keys: no terminal, no processes.
#ifndef ATMOST_LIBEXEC_TOP_BOARD_H
#define ATMOST_LIBEXEC_TOP_BOARD_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace atmost::top {

// A holder, a waiter or a drained slot, as `atmost list --json` prints it.
struct Row {
  std::string lock;  // any bytes
  std::string state;
  std::string user;
  std::string id;
  std::string command;  // or the path of the script or program
  std::string host;     // empty: this machine
  std::uint64_t slot = 0;
  std::uint64_t position = 0;  // in the queue; 0 if it is not a waiter
  std::uint64_t token = 0;     // 0: none is known
  std::int64_t pid = 0;
  std::optional<double> age_s;
  std::optional<double> expires_s;  // negative: overdue
  bool verified = false;
};

struct Action {
  enum class Kind { none, quit, refresh, kill, drain, resume };
  Kind kind = Kind::none;
  std::string lock;
  std::uint64_t token =
      0;  // for kill: the holder that was shown, even if another one is in its row by now
};

enum class Key { up, down, page_up, page_down, home, end, enter, escape, backspace, character };

enum class Order { lock, age, user, state };

class Board {
 public:
  // The rows as they are now. The selection stays with its holder or waiter; when that is gone,
  // with its place.
  void show(std::vector<Row> rows);
  // `character`: UTF-8, for Key::character. `page`: the number of rows that the screen shows.
  Action press(Key key, const std::string& character, std::size_t page);

  // The rows that the filter lets through, in order. Pointers are good until the next show().
  const std::vector<const Row*>& visible() const { return visible_; }
  std::size_t selected() const { return selected_; }
  // The last line of the screen: a question, the filter, or the meaning of the keys.
  std::string prompt() const;
  // The line above the rows: "3 held, 16 waiting in 2 locks, by age".
  std::string summary() const;

 private:
  enum class Mode { browsing, filtering, asking };

  Action press_letter(const std::string& letter);
  Action answer(Key key, const std::string& character);
  void edit_filter(Key key, const std::string& character);
  void ask(Action::Kind kind);
  void move(Key key, std::size_t page);
  void arrange();

  std::vector<Row> rows_;
  std::vector<const Row*> visible_;
  std::size_t selected_ = 0;
  Mode mode_ = Mode::browsing;
  Order order_ = Order::lock;
  std::string filter_;
  std::string refusal_;  // the reason why the last key had no effect
  std::string question_;
  Action asked_;
};

}  // namespace atmost::top

#endif
