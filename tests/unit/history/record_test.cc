#include "reader/record.h"

#include <gtest/gtest.h>

#include <random>

#include "kit.h"

namespace atmost::history {
namespace {

std::string without_newline(std::string line) {
  line.pop_back();
  return line;
}

TEST(ReadLine, GivesBackWhatWasWritten) {
  const std::string line = without_newline(line_of(ended(77)));
  Record record;
  ASSERT_EQ(read_line(line, record), Reading::whole);
  EXPECT_EQ(record.line, line);
  EXPECT_EQ(record.kind, Event::Kind::ended);
  EXPECT_EQ(record.ns("at"), 1'795'246'157'123'456'000);
  EXPECT_EQ(record.ns("boot_s"), 3'121'500'000'000);
  EXPECT_EQ(record.text("host"), "alder");
  EXPECT_EQ(record.text("lock"), "backup");
  EXPECT_EQ(record.text("path"), "/var/lib/atmost/backup.lock");
  EXPECT_EQ(record.number("max"), 2);
  EXPECT_EQ(record.number("take"), 1);
  EXPECT_EQ(record.number("token"), 77);
  EXPECT_EQ(record.number("pid"), 4711);
  EXPECT_EQ(record.number("uid"), 1000);
  EXPECT_EQ(record.text("id"), "nightly");
  EXPECT_EQ(record.text("command"), "sleep");
  EXPECT_EQ(record.number("exit"), 0);
  EXPECT_EQ(record.ns("waited_s"), 250'000'000);
  EXPECT_EQ(record.ns("ran_s"), 1'000'001'000);
  EXPECT_EQ(record.ns("cpu_s"), 2'500'000);
  EXPECT_EQ(record.number("peak_kib"), 1234);
  EXPECT_EQ(record.ns("retry_in_s"), Record::kAbsent);
  EXPECT_TRUE(record.flag("started", true));
  EXPECT_FALSE(record.flag("cut"));
}

TEST(ReadLine, TakesFieldsInAnyOrderAndSkipsUnknownOnes) {
  Record record;
  ASSERT_EQ(
      read_line(
          R"( {"future":[1,{"a":"}"}],"lock":"x","at":5,"retry_in_s":null,"event":"denied","v":1,"max":"2"} )",
          record),
      Reading::whole);
  EXPECT_EQ(record.text("lock"), "x");
  EXPECT_EQ(record.ns("at"), 5'000'000'000);
  EXPECT_EQ(record.ns("retry_in_s"), Record::kNever);
  EXPECT_EQ(record.number("max"), Record::kAbsent);
}

TEST(ReadLine, RefusesWhatIsNotOurs) {
  Record record;
  for (const char* foreign :
       {"", "{}", "hello", "{\"v\":2,\"event\":\"ended\",\"at\":1}",
        "{\"v\":1,\"event\":\"unheard\",\"at\":1}", "{\"v\":1,\"event\":\"ended\"}",
        "{\"v\":1,\"event\":\"ended\",\"at\":1", "[1]"}) {
    EXPECT_EQ(read_line(foreign, record), Reading::foreign) << foreign;
  }
}

TEST(ReadLine, FindsTheLineBehindATornOne) {
  const std::string torn = without_newline(line_of(ended(1)));
  const std::string good = without_newline(line_of(ended(2)));
  Record record;
  for (std::size_t cut = 1; cut < torn.size(); ++cut) {
    ASSERT_EQ(read_line(torn.substr(0, cut), record), Reading::foreign) << cut;
    const std::string glued = torn.substr(0, cut) + good;
    ASSERT_EQ(read_line(glued, record), Reading::behind) << cut;
    ASSERT_EQ(record.number("token"), 2) << cut;
    ASSERT_EQ(record.line, good);
  }
}

TEST(ReadLine, SurvivesAnything) {
  std::mt19937 random(5);
  const std::string good = without_newline(line_of(ended(3)));
  for (int i = 0; i < 30000; ++i) {
    std::string line = good;
    for (unsigned n = 1 + random() % 4; n > 0; --n) {
      const std::size_t at = random() % line.size();
      if (random() % 3 == 0) {
        line.erase(at, 1 + random() % 20);
        if (line.empty()) line = " ";
      } else {
        line[at] = static_cast<char>(random());
      }
    }
    Record record;
    read_line(line, record);  // the sanitizers watch
  }
}

}  // namespace
}  // namespace atmost::history
