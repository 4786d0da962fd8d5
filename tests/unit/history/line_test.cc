#include "history/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <ctime>
#include <random>

#include "core/request.h"
#include "kit.h"
#include "reader/record.h"

namespace atmost::history {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Line, OfAnEndedCommand) {
  EXPECT_EQ(
      line_of(ended(77)),
      "{\"v\":1,\"event\":\"ended\",\"time\":\"2026-11-21T07:29:17.123456Z\",\"at\":1795246157."
      "123456,"
      "\"boot_s\":3121.500000,\"host\":\"alder\",\"lock\":\"backup\",\"path\":\"/var/lib/atmost/"
      "backup.lock\","
      "\"max\":2,\"take\":1,\"token\":77,\"pid\":4711,\"uid\":1000,\"id\":\"nightly\",\"command\":"
      "\"sleep\","
      "\"exit\":0,\"waited_s\":0.250000,\"ran_s\":1.000001,\"cpu_s\":0.002500,\"peak_kib\":1234}"
      "\n");
}

struct Sample {
  EventValues::Value value;
  std::string json;
};

Sample sample_of(FieldType type) {
  static char word[] = "a\"b";
  static char* const words[] = {word, nullptr};
  static constexpr std::uint32_t kNumbers[] = {3, 4, 9};
  switch (type) {
    case FieldType::text:
      return {std::string_view(word), R"("a\"b")"};
    case FieldType::number:
      return {77, "77"};
    case FieldType::time:
      return {-1'500'000'000, "-1.500000"};
    case FieldType::flag:
      return {1, "true"};
    case FieldType::moment:
      return {std::int64_t{0}, R"("1970-01-01T00:00:00.000000Z")"};
    case FieldType::signal:
      return {SIGTERM, R"("TERM")"};
    case FieldType::numbers:
      return {std::span<const std::uint32_t>(kNumbers), "[3,4,9]"};
    case FieldType::texts:
      return {words, R"(["a\"b"])"};
  }
  return {};
}

TEST(Line, EveryRowOfTheTableIsWrittenAndReadBack) {
  for (std::size_t i = 0; i < kEventFieldCount; ++i) {
    const EventField& field = kEventFields[i];
    SCOPED_TRACE(field.name);
    const Sample sample = sample_of(field.type);
    EventValues alone;
    alone.set(i, sample.value);
    std::vector<char> room(kMaxLine);
    const std::string member = "\"" + std::string(field.name) + "\":" + sample.json;
    EXPECT_EQ(std::string(room.data(), format_line(alone, room).size), "{" + member + "}\n");
    const bool always = ended(1).has(i);
    const std::string line =
        always ? line_of(ended(1)) : R"({"v":1,"event":"ended","at":1,)" + member + "}";
    Record record;
    ASSERT_NE(read_line({line.data(), line.rfind('}') + 1}, record), Reading::foreign);
    ASSERT_TRUE(record.has(i));
    if (always) continue;
    const bool is_number = field.type == FieldType::number || field.type == FieldType::time ||
                           field.type == FieldType::flag;
    if (is_number) {
      EXPECT_EQ(record.values[i].number, sample.value.number);
    } else {
      EXPECT_THAT(sample.json, HasSubstr(std::string(record.text_at(i))));
    }
  }
}

TEST(Line, TheLongestFitsAndSaysThatItIsCut) {
  const std::string ugly(5000, '\x01');
  const std::vector<std::uint32_t> slots(kMaxTake, kMaxSlots - 1);
  std::vector<std::string> words(5000, "x\ny");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  EventValues event = ended(1);
  for (std::size_t i = 2; i < kEventFieldCount - 1; ++i) {
    switch (kEventFields[i].type) {
      case FieldType::text:
        event.set(i, std::string_view(ugly));
        break;
      case FieldType::signal:
        event.set(i, SIGVTALRM);
        break;
      case FieldType::numbers:
        event.set(i, std::span<const std::uint32_t>(slots));
        break;
      case FieldType::texts:
        event.set(i, argv.data());
        break;
      default:
        event.set(i, INT64_MAX - 1);
    }
  }
  std::vector<char> room(kMaxLine + 100, '#');
  const std::size_t size = format_line(event, {room.data(), kMaxLine}).size;
  ASSERT_LE(size, kMaxLine);
  EXPECT_EQ(room[size], '#');
  Record record;
  ASSERT_EQ(read_line({room.data(), size - 1}, record), Reading::whole);
  EXPECT_TRUE(record.flag("cut"));
  EXPECT_FALSE(record.text("args").empty());
}

TEST(Line, AnyBytesComeBackAsTheyWere) {
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    std::string name;
    for (std::size_t n = random() % 200; n > 0; --n) {
      // Half of it text that a reader could trip over.
      name.push_back(random() % 2 == 0 ? "\"\\{}:,\nv1\x7f\xc2\x85"[random() % 13]
                                       : static_cast<char>(random()));
    }
    Event event = ended(9);
    event.text("id", name).text("lock", name);
    const std::string line = line_of(event);
    ASSERT_EQ(line.find('\n'), line.size() - 1);
    Record record;
    ASSERT_EQ(read_line({line.data(), line.size() - 1}, record), Reading::whole) << line;
    ASSERT_EQ(record.number("token"), 9);
    for (unsigned char c : line) ASSERT_TRUE((c >= 0x20 && c != 0x7f) || c == '\n');
  }
}

TEST(UtcWords, AgreeWithTheLibrary) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t micros = static_cast<std::int64_t>(random()) / 1000;
    std::int64_t seconds = micros / 1'000'000;
    std::int64_t rest = micros % 1'000'000;
    if (rest < 0) {
      rest += 1'000'000;
      --seconds;
    }
    const std::time_t time = seconds;
    struct tm parts;
    gmtime_r(&time, &parts);
    char expected[64];
    const std::size_t size = strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%S.", &parts);
    snprintf(expected + size, sizeof expected - size, "%06lldZ", static_cast<long long>(rest));
    ASSERT_EQ(utc_words(micros * 1000).view(), expected) << micros;
  }
  EXPECT_EQ(utc_words(0).view(), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(utc_words(951'782'400'000'000'000).view(), "2000-02-29T00:00:00.000000Z");
}

TEST(SignalName, OrTheNumber) {
  EXPECT_EQ(signal_name(SIGKILL).view(), "KILL");
  EXPECT_EQ(signal_name(SIGINT).view(), "INT");
  EXPECT_EQ(signal_name(60).view(), "60");
}

}  // namespace
}  // namespace atmost::history
