#include "top/board.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "top/feed.h"

namespace atmost::top {
namespace {

constexpr std::size_t kPage = 10;

Row held(const std::string& lock, std::uint64_t token, double age) {
  Row row;
  row.lock = lock;
  row.state = "held";
  row.user = "ann";
  row.command = "make";
  row.slot = 1;
  row.token = token;
  row.pid = static_cast<std::int64_t>(token);
  row.age_s = age;
  return row;
}

Action type(Board& board, const std::string& letters) {
  Action last;
  for (char letter : letters) last = board.press(Key::character, std::string(1, letter), kPage);
  return last;
}

std::string chosen(const Board& board) {
  return board.selected() < board.visible().size() ? board.visible()[board.selected()]->lock : "";
}

TEST(Board, AKillIsThatOfTheHolderThatWasShown) {
  Board board;
  board.show({held("a", 1, 10), held("b", 2, 20)});
  board.press(Key::down, "", kPage);
  EXPECT_EQ(type(board, "k").kind, Action::Kind::none);
  // The slot has another holder by the time of the answer.
  board.show({held("a", 1, 11), held("b", 3, 0)});
  const Action action = type(board, "y");
  EXPECT_EQ(action.kind, Action::Kind::kill);
  EXPECT_EQ(action.lock, "b");
  EXPECT_EQ(action.token, 2u);
}

TEST(Board, OnlyYesIsYes) {
  Board board;
  board.show({held("a", 1, 10)});
  for (const char* answer : {"n", "q", "k", "x"})
    EXPECT_EQ(type(board, std::string("k") + answer).kind, Action::Kind::none) << answer;
  type(board, "d");
  EXPECT_EQ(board.press(Key::enter, "", kPage).kind, Action::Kind::none);
  EXPECT_EQ(type(board, "dY").kind, Action::Kind::drain);
  EXPECT_EQ(type(board, "ry").kind, Action::Kind::resume);
  EXPECT_EQ(type(board, "q").kind, Action::Kind::quit);
}

TEST(Board, WhatCannotBeStoppedIsNotAskedAbout) {
  Board board;
  EXPECT_EQ(type(board, "ky").kind, Action::Kind::none);
  Row waiter = held("a", 0, 5);
  waiter.position = 1;
  board.show({waiter, held("b\xEF\xBF\xBD", 4, 1)});
  EXPECT_EQ(type(board, "ky").kind, Action::Kind::none);
  type(board, "k");
  EXPECT_NE(board.prompt().find("holds nothing"), std::string::npos) << board.prompt();
  board.press(Key::end, "", kPage);
  EXPECT_EQ(type(board, "ky").kind, Action::Kind::none);
  EXPECT_EQ(type(board, "dy").kind, Action::Kind::none);
}

TEST(Board, TheSelectionStaysWithItsHolder) {
  Board board;
  board.show({held("a", 1, 10), held("b", 2, 20), held("c", 3, 5)});
  board.press(Key::end, "", kPage);
  EXPECT_EQ(chosen(board), "c");
  board.show({held("b", 2, 21), held("c", 3, 6)});
  EXPECT_EQ(chosen(board), "c");
  board.show({held("b", 2, 21)});
  EXPECT_EQ(chosen(board), "b");
  board.show({});
  EXPECT_EQ(chosen(board), "");
}

TEST(Board, SortsAndFilters) {
  Board board;
  board.show({held("a", 1, 10), held("b", 2, 20), held("c", 3, 5)});
  type(board, "s");
  EXPECT_EQ(board.visible()[0]->lock, "b");
  EXPECT_NE(board.summary().find("oldest first"), std::string::npos);
  type(board, "/c");
  EXPECT_EQ(board.visible().size(), 1u);
  EXPECT_EQ(board.prompt(), "/c");
  // A character of two bytes is taken away as one.
  board.press(Key::character, "\xC3\xA9", kPage);
  EXPECT_EQ(board.visible().size(), 0u);
  board.press(Key::backspace, "", kPage);
  EXPECT_EQ(board.prompt(), "/c");
  board.press(Key::enter, "", kPage);
  EXPECT_EQ(type(board, "q").kind, Action::Kind::quit);
  board.press(Key::escape, "", kPage);
  EXPECT_EQ(board.visible().size(), 3u);
}

TEST(Feed, LinesThatAreNoRowsAreLeftOut) {
  const std::vector<Row> rows = rows_of(
      "atmost: something is said\n"
      "{\"lock\":\"a\\n\",\"slot\":2,\"pid\":7,\"user\":null,\"start\":null,\"age_s\":null,"
      "\"expires_s\":-92,\"token\":1795246962665940,\"id\":\"\",\"command\":\"sh\",\"state\":"
      "\"held\","
      "\"verified\":true,\"path\":\"/srv/x\"}\n"
      "[1]\n{\"lock\":3}\n{\"lock\":\"cut");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].lock, "a\n");
  EXPECT_EQ(rows[0].token, 1795246962665940u);
  EXPECT_EQ(rows[0].command, "/srv/x");
  EXPECT_EQ(rows[0].expires_s, -92);
  EXPECT_FALSE(rows[0].age_s.has_value());
}

}  // namespace
}  // namespace atmost::top
