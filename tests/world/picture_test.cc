#include "world/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "world/draw.h"

namespace world {
namespace {

using testing::HasSubstr;
using What = Mark::Kind;
constexpr std::int64_t kUs = 1000;
constexpr std::int64_t kSecond = 1'000'000'000;

// p0 is admitted and frozen; p1 waits for it with a ticket and is killed.
Result small() {
  Result result;
  result.breaks = "order";
  result.text = "p2 <before> p1 & p0";
  result.marks = {
      {1 * kUs, 0, What::asks, 0},        {2 * kUs, 0, What::guard_taken, 0},
      {3 * kUs, 0, What::admitted, 1},    {4 * kUs, 0, What::guard_dropped, 0},
      {5 * kUs, 1, What::asks, 2},        {6 * kUs, 1, What::ticket_drawn, 0},
      {7 * kUs, 1, What::blocks, 0},      {8 * kUs, 0, What::frozen, 90 * kSecond},
      {2 * kSecond, 1, What::goes_on, 0}, {3 * kSecond, kNobody, What::clock_stepped, -kSecond},
      {4 * kSecond, 1, What::killed, 0},  {5 * kSecond, 2, What::violation, 0},
  };
  return result;
}

Script of_three() {
  Script script;
  script.seed = 2016;
  script.plant = "late-clock";
  script.callers.resize(3);
  script.callers[1].kind = kLibrary;
  return script;
}

std::string spans_of(const Story& story, int process) {
  std::string all;
  for (const Span& span : story.spans)
    if (span.process == process)
      all += std::to_string(static_cast<int>(span.kind)) + ":" + duration(span.from_ns) + "-" +
             duration(span.to_ns) + " ";
  return all;
}

TEST(Story, SpansEndWithTheirProcessOrTheWorld) {
  const Story story = tell(small().marks);
  EXPECT_EQ(story.lanes, (std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(story.cut);
  EXPECT_EQ(story.end_ns, 5 * kSecond);
  EXPECT_EQ(spans_of(story, 0), "0:1us-5s 1:1us-3us 3:3us-5s 4:2us-4us 7:8us-5s ");
  EXPECT_EQ(spans_of(story, 1), "0:5us-4s 1:5us-4s 2:6us-4s 5:7us-2s ");
}

TEST(Story, KeepsTheLastPartAndWhatReachesIntoIt) {
  std::vector<Mark> marks = {{1, 0, What::asks, 0}, {2, 0, What::admitted, 0}};
  for (int i = 0; i < 1000; ++i) {
    marks.push_back({10 + 2 * i, 1, What::guard_taken, 0});
    marks.push_back({11 + 2 * i, 1, What::guard_dropped, 0});
  }
  const Story story = tell(marks);
  EXPECT_TRUE(story.cut);
  EXPECT_EQ(story.marks.size(), kMostMarks);
  EXPECT_EQ(spans_of(story, 0), "0:1810ns-2009ns 3:1810ns-2009ns ");
}

TEST(TextPicture, ShowsWhatEachProcessIs) {
  const std::string text = text_picture(of_three(), small());
  EXPECT_THAT(text, HasSubstr("seed 2016, planted: late-clock\n"));
  EXPECT_THAT(text, HasSubstr("0.000002000s   G           p0 takes the guard\n"));
  EXPECT_THAT(text, HasSubstr("0.000007000s   #   B       p1 blocks on p0\n"));
  EXPECT_THAT(text, HasSubstr("0.000008000s   F   B       p0 is frozen for 89999992us\n"));
  EXPECT_THAT(text, HasSubstr("2.000000000s   F   T       p1 goes on\n"));
  EXPECT_THAT(text, HasSubstr("3.000000000s   F   T       the wall clock is set by -1s\n"));
  EXPECT_THAT(text, HasSubstr("4.000000000s   F           p1 is killed\n"));
  EXPECT_THAT(text, HasSubstr("5.000000000s   F       .   order: p2 <before> p1 & p0\n"));
}

TEST(SvgPicture, ShowsEachSpanAndTheViolation) {
  const std::string svg = svg_picture(of_three(), small());
  for (const char* style : {"asking", "holding", "ticket", "guard", "frozen"})
    EXPECT_THAT(svg, HasSubstr("<rect class=\"" + std::string(style) + "\" x=")) << style;
  for (const char* style : {"blocked", "on", "killed", "clock", "violation"})
    EXPECT_THAT(svg, HasSubstr("<path class=\"" + std::string(style) + "\"")) << style;
  EXPECT_THAT(svg, HasSubstr(">slot 1</text>"));
  EXPECT_THAT(svg, HasSubstr(">run 3</text>"));
  EXPECT_THAT(svg, HasSubstr(">library</text>"));
  EXPECT_THAT(svg, HasSubstr(">p2 &lt;before> p1 &amp; p0</text>"));
}

TEST(SvgPicture, AWorldWithoutMarksIsAPicture) {
  EXPECT_THAT(svg_picture(of_three(), {}), HasSubstr("</svg>"));
  EXPECT_THAT(text_picture(of_three(), {}), HasSubstr("time"));
}

}  // namespace
}  // namespace world
