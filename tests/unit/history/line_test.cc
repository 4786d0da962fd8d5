#include "history/line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <ctime>
#include <random>

#include "kit.h"
#include "reader/value.h"

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

TEST(Line, OfASignalledCommandThatWasStopped) {
  Event event = ended(1);
  event.ended.status = {0, SIGTERM, true};
  event.ended.stopped = Stopped::max_runtime;
  EXPECT_THAT(line_of(event),
              HasSubstr("\"signal\":\"TERM\",\"core\":true,\"stopped\":\"max_runtime\","));
  EXPECT_THAT(line_of(event), Not(HasSubstr("\"exit\"")));
}

TEST(Line, OfACommandThatCouldNotBeStarted) {
  Event event = ended(1);
  event.ended.not_started = Code::not_found;
  EXPECT_THAT(line_of(event), EndsWith("\"exit\":127,\"started\":false}\n"));
}

TEST(Line, OfADenial) {
  Event event = ended(0);
  event.kind = Event::Kind::denied;
  event.denied = {Verdict::too_soon, Why::none, Duration::seconds(90), 0, 0};
  EXPECT_THAT(line_of(event), HasSubstr("\"why\":\"too_soon\",\"retry_in_s\":90.000000,"));
  event.denied = {Verdict::busy, Why::no_slot, Duration::forever(), 2, 3};
  EXPECT_THAT(line_of(event), HasSubstr("\"why\":\"no_slot\",\"retry_in_s\":null,\"held\":2,"
                                        "\"waiters\":3,\"waited_s\":0.250000}"));
  EXPECT_THAT(line_of(event), Not(HasSubstr("token")));
}

TEST(Line, OfATakeover) {
  Event event = ended(5);
  event.kind = Event::Kind::expired;
  event.holder = {99, 4, Duration::seconds(61), Duration::seconds(60)};
  EXPECT_THAT(line_of(event), HasSubstr("\"holder_pid\":99,\"holder_token\":4,\"age_s\":61.000000,"
                                        "\"expire_after_s\":60.000000}"));
  event.kind = Event::Kind::signalled;
  event.signalled = {SIGKILL, true};
  EXPECT_THAT(line_of(event), HasSubstr("\"signal\":\"KILL\",\"worked\":true,\"holder_pid\":99"));
}

TEST(Line, SlotsModeAtomAndArguments) {
  Event event = ended(5);
  event.kind = Event::Kind::admitted;
  const std::uint32_t slots[] = {3, 4, 9};
  event.slots = slots;
  event.mode = Mode::shared;
  event.op = "copy";
  event.operand = "a:b";
  char one[] = "sh";
  char two[] = "-c \"x\"";
  char* argv[] = {one, two, nullptr};
  event.arguments = argv;
  const std::string line = line_of(event);
  EXPECT_THAT(line, HasSubstr("\"operator\":\"copy\",\"operand\":\"a:b\""));
  EXPECT_THAT(line, HasSubstr("\"mode\":\"shared\",\"slot\":3,\"slots\":[3,4,9],\"token\":5"));
  EXPECT_THAT(line, HasSubstr("\"args\":[\"sh\",\"-c \\\"x\\\"\"]"));
}

TEST(Line, TheLongestFitsAndSaysThatItIsCut) {
  Event event = ended(UINT64_MAX);
  const std::string ugly(5000, '\x01');
  event.host = event.lock = event.path = event.op = event.operand = event.id = event.command = ugly;
  std::vector<std::uint32_t> slots(kMaxTake, kMaxSlots - 1);
  event.slots = slots;
  event.max = event.take = UINT32_MAX;
  event.pid = INT64_MAX;
  event.uid = UINT32_MAX;
  event.at = {INT64_MIN + 1, INT64_MAX - 1, false};
  event.waited = event.ended.ran = {INT64_MAX - 1};
  event.ended.usage = {INT64_MAX - 1, INT64_MAX};
  event.ended.status = {0, SIGVTALRM, true};
  event.ended.stopped = Stopped::max_runtime;
  std::vector<std::string> words(5000, "x\ny");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  event.arguments = argv.data();
  std::vector<char> room(kMaxLine + 100, '#');
  const std::size_t size = format_line(event, {room.data(), kMaxLine});
  ASSERT_LE(size, kMaxLine);
  EXPECT_EQ(room[size], '#');
  Record record;
  ASSERT_EQ(read_line({room.data(), size - 1}, record), Reading::whole);
  EXPECT_TRUE(record.cut);
  EXPECT_FALSE(record.args.empty());
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
    event.id = event.lock = name;
    const std::string line = line_of(event);
    ASSERT_EQ(line.find('\n'), line.size() - 1);
    Record record;
    ASSERT_EQ(read_line({line.data(), line.size() - 1}, record), Reading::whole) << line;
    ASSERT_EQ(record.token, 9);
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
