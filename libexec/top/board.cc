#include "board.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "reader/output.h"

namespace atmost::top {
namespace {

constexpr std::array<const char*, 4> kOrders = {"by lock", "oldest first", "by user", "by state"};
// The replacement in JSON for bytes that are not UTF-8: such a name cannot be passed on.
constexpr char kReplacement[] = "\xEF\xBF\xBD";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The key of a holder or waiter, which stays the same as long as it does.
auto identity(const Row& row) { return std::tie(row.lock, row.token, row.pid, row.slot, row.host); }

double age(const Row& row) { return row.age_s.value_or(-1); }

bool before(Order order, const Row& one, const Row& other) {
  const auto by_lock = [](const Row& row) { return std::tie(row.lock, row.position, row.slot); };
  switch (order) {
    case Order::age:
      if (age(one) != age(other)) return age(one) > age(other);
      break;
    case Order::user:
      if (one.user != other.user) return one.user < other.user;
      break;
    case Order::state:
      if (one.state != other.state) return one.state < other.state;
      break;
    case Order::lock:
      break;
  }
  return by_lock(one) < by_lock(other);
}

}  // namespace

void Board::show(std::vector<Row> rows) {
  std::optional<Row> chosen;
  if (selected_ < visible_.size()) chosen = *visible_[selected_];
  rows_ = std::move(rows);
  arrange();
  if (!chosen) return;
  for (std::size_t i = 0; i < visible_.size(); ++i) {
    if (identity(*visible_[i]) == identity(*chosen)) selected_ = i;
  }
}

void Board::arrange() {
  visible_.clear();
  for (const Row& row : rows_) {
    if (filter_.empty() || contains(row.lock, filter_) || contains(row.user, filter_) ||
        contains(row.id, filter_) || contains(row.command, filter_))
      visible_.push_back(&row);
  }
  std::stable_sort(visible_.begin(), visible_.end(), [this](const Row* one, const Row* other) {
    return before(order_, *one, *other);
  });
  selected_ = std::min(selected_, visible_.empty() ? 0 : visible_.size() - 1);
}

Action Board::press(Key key, const std::string& character, std::size_t page) {
  refusal_.clear();
  if (mode_ == Mode::asking) return answer(key, character);
  if (mode_ == Mode::filtering && (key >= Key::enter)) {
    edit_filter(key, character);
    return {};
  }
  if (key == Key::character) return press_letter(character);
  if (key == Key::escape) filter_.clear();
  move(key, page);
  arrange();
  return {};
}

Action Board::press_letter(const std::string& letter) {
  Action action;
  if (letter == "q") action.kind = Action::Kind::quit;
  if (letter == " ") action.kind = Action::Kind::refresh;
  if (letter == "k") ask(Action::Kind::kill);
  if (letter == "d") ask(Action::Kind::drain);
  if (letter == "r") ask(Action::Kind::resume);
  if (letter == "/") mode_ = Mode::filtering;
  if (letter == "s") {
    order_ = static_cast<Order>((static_cast<std::size_t>(order_) + 1) % kOrders.size());
    arrange();
  }
  return action;
}

void Board::ask(Action::Kind kind) {
  if (selected_ >= visible_.size()) {
    refusal_ = "there is nothing to choose";
    return;
  }
  const Row& row = *visible_[selected_];
  const std::string lock = history::escaped(row.lock);
  if (contains(row.lock, kReplacement)) {
    refusal_ = "the name of " + lock + " is not UTF-8: use atmost kill, drain and resume";
    return;
  }
  if (kind == Action::Kind::kill && row.token == 0) {
    refusal_ = row.position != 0
                   ? "a waiter holds nothing: end it by kill " + std::to_string(row.pid)
                   : "this holder has no token: use atmost kill --slot";
    return;
  }
  asked_ = {kind, row.lock, row.token};
  mode_ = Mode::asking;
  if (kind == Action::Kind::kill) {
    question_ = "stop " + std::to_string(row.pid);
    if (!row.host.empty()) question_ += "@" + history::escaped(row.host);
    question_ += " (" + history::escaped(row.command) + "), which holds " + lock + "?";
  } else if (kind == Action::Kind::drain) {
    question_ = "drain " + lock + ", so that nobody is admitted until it is resumed?";
  } else {
    question_ = "resume " + lock + "?";
  }
}

Action Board::answer(Key key, const std::string& character) {
  mode_ = Mode::browsing;
  return key == Key::character && (character == "y" || character == "Y") ? asked_ : Action{};
}

void Board::edit_filter(Key key, const std::string& character) {
  if (key == Key::enter || key == Key::escape) mode_ = Mode::browsing;
  if (key == Key::escape) filter_.clear();
  if (key == Key::character) filter_ += character;
  if (key == Key::backspace && !filter_.empty()) {
    do {
      filter_.pop_back();
    } while (!filter_.empty() && (static_cast<unsigned char>(filter_.back()) & 0xC0U) == 0x80);
    // A lead byte without its following bytes is not a character.
    if (!filter_.empty() && static_cast<unsigned char>(filter_.back()) >= 0xC0) filter_.pop_back();
  }
  arrange();
}

void Board::move(Key key, std::size_t page) {
  const std::size_t last = visible_.empty() ? 0 : visible_.size() - 1;
  const std::size_t step = key == Key::page_up || key == Key::page_down ? page : 1;
  if (key == Key::up || key == Key::page_up) selected_ -= std::min(selected_, step);
  if (key == Key::down || key == Key::page_down) selected_ = std::min(last, selected_ + step);
  if (key == Key::home) selected_ = 0;
  if (key == Key::end) selected_ = last;
}

std::string Board::prompt() const {
  if (mode_ == Mode::asking) return question_ + " y/N";
  if (mode_ == Mode::filtering) return "/" + history::escaped(filter_);
  if (!refusal_.empty()) return refusal_;
  return "k stop  d drain  r resume  s sort  / filter  q quit";
}

std::string Board::summary() const {
  std::size_t held = 0;
  std::size_t waiting = 0;
  std::set<std::string> locks;
  for (const Row* row : visible_) {
    locks.insert(row->lock);
    held += row->state == "held" || row->state == "kept" || row->state == "stopped" ? 1 : 0;
    waiting += row->position != 0 ? 1 : 0;
  }
  std::string text = std::to_string(held) + " held, " + std::to_string(waiting) + " waiting in " +
                     std::to_string(locks.size()) + (locks.size() == 1 ? " lock, " : " locks, ");
  text += kOrders[static_cast<std::size_t>(order_)];
  if (!filter_.empty()) text += ", with \"" + history::escaped(filter_) + "\"";
  return text;
}

}  // namespace atmost::top
