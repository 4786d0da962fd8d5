#include <gtest/gtest.h>

#include <string>

#include "core/parse.h"

namespace atmost {
namespace {

constexpr std::uint64_t kMost = UINT64_MAX;

TEST(Count, BoundariesAreInside) {
  EXPECT_EQ(parse_count("1", 1, 4).value(), 1u);
  EXPECT_EQ(parse_count("4", 1, 4).value(), 4u);
  EXPECT_EQ(parse_count("0004", 1, 4).value(), 4u);
  EXPECT_EQ(parse_count("0", 0, 0).value(), 0u);
  EXPECT_EQ(parse_count("18446744073709551615", 0, kMost).value(), kMost);
  EXPECT_EQ(parse_count("262144", 0, kMaxSlots).value(), kMaxSlots);
}

TEST(Count, OutsideOrRubbishIsRefused) {
  for (std::string_view text :
       {"", "-1", "+1", " 1", "1 ", "1x", "x", "1.0", "1e2", "0x1", "1,000", "5", "0",
        "18446744073709551616", "18446744073709551617", "36893488147419103233",
        "99999999999999999999999999", "\xD9\xA3", "1\n"}) {
    const Result<std::uint64_t> got = parse_count(text, 1, 4);
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_EQ(got.error().code, Code::usage);
    EXPECT_NE(got.error().message.view().find("is not a whole number from 1 to 4"),
              std::string_view::npos);
  }
  EXPECT_FALSE(parse_count("18446744073709551616", 0, kMost).ok());
  EXPECT_FALSE(parse_count("18446744073709551620", 0, kMost).ok());
  EXPECT_FALSE(parse_count("262145", 0, kMaxSlots).ok());
  EXPECT_FALSE(parse_count("1", 0, 0).ok());
  EXPECT_FALSE(parse_count(std::string_view("1\0", 2), 0, 9).ok());
}

TEST(Mode, OctalPermissionBits) {
  EXPECT_EQ(parse_mode("600").value(), 0600u);
  EXPECT_EQ(parse_mode("0600").value(), 0600u);
  EXPECT_EQ(parse_mode("0666").value(), 0666u);
  EXPECT_EQ(parse_mode("777").value(), 0777u);
  EXPECT_EQ(parse_mode("660").value(), 0660u);
}

TEST(Mode, EverythingElseIsRefused) {
  for (std::string_view text : {"", "0", "60", "6", "4600", "1777", "00600", "608", "800", "rw-",
                                "-600", "+600", "0o600", "0x180", " 600", "600 ", "u=rw", "6000"}) {
    const Result<unsigned> got = parse_mode(text);
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_NE(got.error().message.view().find("octal"), std::string_view::npos)
        << got.error().message.view();
  }
  for (std::string_view text : {"000", "400", "200", "066", "0466", "277"}) {
    const Result<unsigned> got = parse_mode(text);
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_NE(got.error().message.view().find("owner"), std::string_view::npos)
        << got.error().message.view();
  }
}

TEST(Epoch, SecondsAndFractions) {
  EXPECT_EQ(parse_epoch("0").value(), 0);
  EXPECT_EQ(parse_epoch("1700000000").value(), 1700000000'000000000);
  EXPECT_EQ(parse_epoch("1700000000.5").value(), 1700000000'500000000);
  EXPECT_EQ(parse_epoch("1700000000.123456789").value(), 1700000000'123456789);
  EXPECT_EQ(parse_epoch("1700000000.1234567899999").value(), 1700000000'123456789);
  EXPECT_EQ(parse_epoch("9223372035.999999999").value(), 9223372035'999999999);
}

TEST(Epoch, EverythingElseIsRefused) {
  for (std::string_view text :
       {"", ".", "1.", ".5", "-1", "+1", " 1", "1 ", "1.5.5", "1.5x", "x", "1e9", "now", "inf",
        "9223372036", "9223372037", "18446744073709551616", "1,5", "1.-5"}) {
    const Result<std::int64_t> got = parse_epoch(text);
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_NE(got.error().message.view().find("seconds since 1970"), std::string_view::npos);
  }
}

TEST(Risk, RunsInAThousand) {
  EXPECT_EQ(parse_risk("3").value(), 3000u);
  EXPECT_EQ(parse_risk("0.5").value(), 500u);
  EXPECT_EQ(parse_risk("0.001").value(), 1u);
  EXPECT_EQ(parse_risk("12.25").value(), 12250u);
  EXPECT_EQ(parse_risk("500").value(), 500000u);
}

TEST(Risk, EverythingElseIsRefused) {
  for (std::string_view text : {"", ".", "0", "0.000", "0.0001", "500.001", "501", "-1", "+1", "1.",
                                ".5", "1e2", "3%", " 3", "18446744073709551616"}) {
    const Result<std::uint32_t> got = parse_risk(text);
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_NE(got.error().message.view().find("runs in 1,000"), std::string_view::npos);
  }
}

std::uint32_t six() { return 6; }
std::uint32_t one() { return 1; }

TEST(Max, IsANumberOrAPartOfTheProcessors) {
  EXPECT_EQ(parse_max("0", six).value(), 0u);
  EXPECT_EQ(parse_max("262144", six).value(), kMaxSlots);
  EXPECT_EQ(parse_max("inf", nullptr).value(), kMaxSlots);
  EXPECT_EQ(parse_max("cpus", six).value(), 6u);
  EXPECT_EQ(parse_max("cpus/4", six).value(), 1u);
  EXPECT_EQ(parse_max("cpus-2", six).value(), 4u);
  EXPECT_EQ(parse_max("cpus-6", six).value(), 1u);
  EXPECT_EQ(parse_max("50%", six).value(), 3u);
  EXPECT_EQ(parse_max("150%", six).value(), 9u);
  for (std::string_view part : {"cpus/9", "cpus-9", "1%"})
    EXPECT_EQ(parse_max(part, one).value(), 1u) << part;
}

TEST(Max, OtherWordsAreRefused) {
  for (std::string_view text :
       {"",    "-1", "262145", "cpu",     "cpus/", "cpus/0", "cpus-", "cpus-0", "cpus+1", "cpus*2",
        "1.5", "1x", "7%x",    "cpus/4x", "0%",    "%",      "-5%",   "10001%", "inf%",   "INF"}) {
    ASSERT_FALSE(parse_max(text, six).ok()) << text;
    EXPECT_EQ(parse_max(text, six).error().code, Code::usage);
  }
  EXPECT_FALSE(parse_max("cpus", nullptr).ok()) << "there is nothing to take a part of";
}

}  // namespace
}  // namespace atmost
