// The text of a limit of record, and the changes of one.
#include "store/local/limit.h"

#include <gtest/gtest.h>

#include <string>

namespace atmost::local {
namespace {

constexpr std::string_view kWhole =
    "atmost limit 1\nlock build.lock\nmax 2\nrate 10 60000000000\nrate 1 1\nnames gpu0,gpu1\nend\n";

bool parses(std::string_view text, std::string_view lock = "build.lock") {
  RecordedLimit limit;
  return parse_limit(text, lock, limit);
}

std::string with(std::string_view old, std::string_view fresh) {
  std::string text(kWhole);
  return text.replace(text.find(old), old.size(), fresh);
}

TEST(Limit, IsReadAsItWasWritten) {
  RecordedLimit limit;
  ASSERT_TRUE(parse_limit(kWhole, "build.lock", limit));
  EXPECT_EQ(limit.max, 2u);
  ASSERT_EQ(limit.rate_count, 2u);
  EXPECT_EQ(limit.rates[0].count, 10u);
  EXPECT_EQ(limit.rates[0].window, Duration::seconds(60));
  EXPECT_EQ(limit.rates[1].window.ns, 1);
  EXPECT_EQ(limit.names, "gpu0,gpu1");
  char text[400];
  EXPECT_EQ(std::string_view(text, format_limit(limit, "build.lock", text)), kWhole);
}

TEST(Limit, EveryOtherTextIsRefused) {
  for (std::size_t size = 0; size < kWhole.size(); ++size)
    EXPECT_FALSE(parses({kWhole.data(), size})) << "cut after " << size;
  EXPECT_FALSE(parses(kWhole, "build")) << "another lock's";
  EXPECT_FALSE(parses(std::string(kWhole) + "\n"));
  EXPECT_FALSE(parses(with("limit 1", "limit 2")));
  EXPECT_FALSE(parses(with("max 2", "max 0")));
  EXPECT_FALSE(parses(with("max 2", "max 02")));
  EXPECT_FALSE(parses(with("max 2", "max 3"))) << "a name for each slot";
  EXPECT_FALSE(parses(with("max 2", "max 262145")));
  EXPECT_FALSE(parses(with("max 2", "max 18446744073709551618")));
  EXPECT_FALSE(parses(with("rate 10", "rate 0")));
  EXPECT_FALSE(parses(with("rate 10", "rate 1025")));
  EXPECT_FALSE(parses(with("60000000000", "9223372036854775807"))) << "for ever";
  EXPECT_FALSE(parses(with("gpu0,gpu1", "gpu0,")));
  EXPECT_FALSE(parses(with("gpu0", "gpu\t0")));
}

TEST(Limit, FitsOrIsNotWritten) {
  RecordedLimit limit;
  limit.max = 1;
  char small[20];
  EXPECT_EQ(format_limit(limit, "build.lock", small), 0u);
  char large[200];
  EXPECT_EQ(format_limit(limit, "two\nlines", large), 0u);
}

RecordedLimit changed(const RecordedLimit& before, const LimitChange& change) {
  RecordedLimit after;
  const Status done = change_limit(before, change, after);
  EXPECT_TRUE(done.ok()) << done.error().message.view();
  return after;
}

TEST(Limit, PartsThatAreNotGivenStay) {
  RecordedLimit limit = changed({}, {.max = 4});
  EXPECT_EQ(limit.max, 4u);
  LimitChange rate;
  rate.rate_count = 1;
  rate.rates[0] = {3, Duration::seconds(1)};
  limit = changed(limit, rate);
  EXPECT_EQ(limit.max, 4u);
  EXPECT_EQ(changed({}, rate).max, kMaxSlots) << "a rate alone";
  limit = changed(limit, {.max = 2});
  EXPECT_EQ(limit.rate_count, 1u);
  limit = changed(limit, {.names_given = true, .names = "a,b,c"});
  EXPECT_EQ(limit.max, 3u) << "N is the number of names";
  limit = changed(limit, {.clears = true, .max = 5});
  EXPECT_EQ(limit.rate_count, 0u);
  EXPECT_TRUE(limit.names.empty());
  EXPECT_EQ(changed(limit, {.clears = true}).max, 0u);
}

TEST(Limit, NamesAreOneForEachSlot) {
  RecordedLimit named = changed({}, {.names_given = true, .names = "a,b"});
  RecordedLimit after;
  EXPECT_FALSE(change_limit(named, {.max = 3}, after).ok());
  EXPECT_FALSE(change_limit({}, {.max = 3, .names_given = true, .names = "a,b"}, after).ok());
  for (const char* wrong : {"a,,b", "a,b,", "a b", "a,a", "a\nb", ","})
    EXPECT_FALSE(change_limit({}, {.names_given = true, .names = wrong}, after).ok()) << wrong;
  named = changed(named, {.max = 3, .names_given = true, .names = ""});
  EXPECT_EQ(named.max, 3u);
}

}  // namespace
}  // namespace atmost::local
