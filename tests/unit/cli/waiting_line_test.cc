#include "cli/waiting_line.h"

#include <gtest/gtest.h>

#include <string>

namespace atmost::cli {
namespace {

constexpr Duration kMinute = Duration::seconds(60);

QueueView queue(std::uint32_t place, std::uint32_t waiting) {
  QueueView view;
  view.held = 1;
  view.place = place;
  view.waiting = waiting;
  view.holder = Text<300>("4711 ffmpeg");
  view.held_for = Duration::seconds(310);
  return view;
}

std::string words(const QueueView& view, Duration usual = {}, std::uint32_t max = 1) {
  return std::string(waiting_words("enc", view, usual, max).view());
}

TEST(Ordinal, HasItsEnding) {
  const std::pair<std::uint32_t, const char*> all[] = {
      {1, "1st"},   {2, "2nd"},   {3, "3rd"},   {4, "4th"},     {10, "10th"},  {11, "11th"},
      {12, "12th"}, {13, "13th"}, {21, "21st"}, {111, "111th"}, {122, "122nd"}};
  for (const auto& [number, word] : all) EXPECT_EQ(ordinal(number).view(), word);
}

TEST(ExpectedWait, CountsTheRunsInFront) {
  QueueView view = queue(1, 3);
  view.soonest = Duration::seconds(20);
  EXPECT_EQ(expected_wait(view, kMinute, 2).ns, Duration::seconds(20).ns);
  view.place = 2;
  EXPECT_EQ(expected_wait(view, kMinute, 2).ns, Duration::seconds(20).ns);
  view.place = 3;
  EXPECT_EQ(expected_wait(view, kMinute, 2).ns, Duration::seconds(80).ns);
}

TEST(ExpectedWait, IsNotKnown) {
  QueueView view = queue(2, 3);
  view.soonest = Duration::seconds(20);
  EXPECT_TRUE(expected_wait(view, {}, 1).is_zero()) << "nothing was learned";
  view.place = 4;
  EXPECT_TRUE(expected_wait(view, {Duration::kForever / 2}, 1).is_zero()) << "longer than for ever";
  view.place = 2;
  view.soonest = {};
  EXPECT_TRUE(expected_wait(view, kMinute, 1).is_zero()) << "the holder is late";
  view = queue(0, 3);
  view.soonest = Duration::seconds(20);
  EXPECT_TRUE(expected_wait(view, kMinute, 1).is_zero()) << "the place is not known";
}

TEST(WaitingWords, NameTheHolderAndThePlace) {
  EXPECT_EQ(words(queue(3, 12)), "waiting for enc: 3rd of 12; held by 4711 ffmpeg for 5m10s");
  QueueView late = queue(3, 12);
  late.soonest = Duration::seconds(100);
  EXPECT_EQ(words(late, kMinute),
            "waiting for enc: 3rd of 12, about 4m; held by 4711 ffmpeg for 5m10s");
  late.held = 2;
  EXPECT_EQ(words(late), "waiting for enc: 3rd of 12; held by 4711 ffmpeg for 5m10s, and 1 other");
  late.held = 5;
  late.holder = {};
  late.held_for = {};
  EXPECT_EQ(words(late),
            "waiting for enc: 3rd of 12; held by a process not visible from here, and 4 others");
  EXPECT_EQ(words({}), "waiting for enc");
}

TEST(WaitingWords, AreSafeForATerminal) {
  QueueView view = queue(1, 1);
  view.holder = Text<300>("1 \x1b]0;title\a");
  EXPECT_EQ(words(view).find('\x1b'), std::string::npos);
  EXPECT_EQ(waiting_words("a\nb", view, {}, 1).view().find('\n'), std::string_view::npos);
}

}  // namespace
}  // namespace atmost::cli
