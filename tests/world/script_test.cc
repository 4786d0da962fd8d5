#include "world/script.h"

#include <gtest/gtest.h>

namespace world {
namespace {

Script read(std::string_view text) {
  Script script;
  const auto error = parse(text, script);
  EXPECT_FALSE(error) << error->line << ": " << error->text;
  return script;
}

std::string mistake(std::string_view text) {
  Script script;
  const auto error = parse(text, script);
  return error ? std::to_string(error->line) + ": " + error->text : "";
}

// A script with each kind of line.
constexpr std::string_view kWhole = R"(world 1
seed 18446744073709551615
plant late-clock
breaks rate
rates strategy=priorities switch=300000 kill=500 longest=131s
caller
  run max=3 take=2 wait=600s
  run mode=exclusive if-elapsed=2500us ends=failure
caller kind=library keeping=yes
  run
caller kind=exec until-close=yes
events listed
event p0 1 run p2
event p1 8277 kill
event p1 8300 kill 512ms
event p0 12 freeze 16400ms
event p0 13 stop 17ns
event p2 13 clock-step -3600s
event p2 13 no-space
event p2 14 interrupt
event p2 15 lose-event
event p2 16 choose 3
)";

TEST(Script, IsPrintedAsItWasRead) { EXPECT_EQ(print(read(kWhole)), kWhole); }

TEST(Script, EverySettingIsReadBack) {
  Script script;
  script.callers.resize(1);
  script.callers[0].runs.resize(1);
  const auto set = [](auto& object, const auto& fields) {
    for (const auto& field : fields)
      object.*field.value = object.*field.value == field.most ? field.least : field.most;
  };
  set(script.rates, fields<Rates>());
  set(script.callers[0], fields<Caller>());
  set(script.callers[0].runs[0], fields<world::Run>());
  script.listed = true;
  for (const EventWord& word : event_words())
    script.events.push_back(
        {word.kind, 3, 9, word.value == EventWord::Value::none ? 0 : 1'234'567});
  script.events.front().value = 4;
  EXPECT_EQ(read(print(script)), script);
}

TEST(Script, HasDefaultsCommentsAndBlankLines) {
  const Script script = read("# a world\n\nworld 1 # of this version\nseed 7\n\tcaller\r\n");
  EXPECT_EQ(script.seed, 7u);
  EXPECT_EQ(script.rates, Rates{});
  EXPECT_EQ(script.callers, std::vector<Caller>(1));
  EXPECT_FALSE(script.listed);
}

TEST(Script, DurationsHaveTheLargestWholeUnit) {
  EXPECT_EQ(duration(16'400'000'000), "16400ms");
  EXPECT_EQ(duration(-3'600'000'000'000), "-3600s");
  EXPECT_EQ(duration(1001), "1001ns");
  EXPECT_EQ(duration(0), "0s");
}

TEST(Script, MistakesNameTheirLine) {
  const std::string begin = "world 1\nseed 1\n";
  const std::pair<std::string, std::string> cases[] = {
      {"", "0: a world begins with the line \"world 1\""},
      {"seed 1\n", "1: a world begins with the line \"world 1\""},
      {"world 2\n", "1: this program reads worlds of version 1"},
      {"world 1\ncaller\n", "0: the line with the seed is missing"},
      {begin, "0: a world has one caller at least"},
      {"world 1\nseed\n", "2: the number is missing"},
      {"world 1\nseed -1\n", "2: a seed is a number from 0 on, not \"-1\""},
      {begin + "seed 2\n", "3: seed is set twice"},
      {begin + "events some\n", "3: the source of events is one of drawn, listed, not \"some\""},
      {begin + "colour red\n", "3: \"colour\" begins no line of a world"},
      {begin + "run\n", "3: a run stands behind its caller"},
      {begin + "caller\nrun max\n", "4: \"max\" is not a setting here"},
      {begin + "caller\nrun size=1\n", "4: \"size=1\" is not a setting here"},
      {begin + "caller\nrun max=1 max=2\n", "4: max is set twice"},
      {begin + "caller\nrun take=0\n", "4: take is 1…1024, not \"0\""},
      {begin + "caller\nrun wait=3\n", "4: wait is 0s…31622400s, not \"3\""},
      {begin + "caller\nrun mode=open\n",
       "4: mode is one of plain, shared, exclusive, not \"open\""},
      {begin + "caller\nevent p0 1 kill\n", "4: events stand behind the line \"events listed\""},
      {begin + "events listed\nevent 0 1 kill\n", "4: a process is p0, p1, …, not \"0\""},
      {begin + "events listed\nevent p0 0 kill\n", "4: a call is a number from 1 on, not \"0\""},
      {begin + "events listed\nevent p0 1 kil\n", "4: \"kil\" is not an event"},
      {begin + "events listed\nevent p0 1 freeze\n", "4: the duration is missing"},
      {begin + "events listed\nevent p0 1 freeze -1s\n",
       "4: \"-1s\" is not a duration such as 16400ms"},
      {begin + "events listed\nevent p0 1 freeze 9999999999999s\n",
       "4: \"9999999999999s\" is not a duration such as 16400ms"},
      {begin + "events listed\nevent p0 1 kill p1\n",
       "4: \"p1\" is not a duration such as 16400ms"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(mistake(text), expected) << text;
}

}  // namespace
}  // namespace world
