#include "host.h"

#include <gmock/gmock.h>

namespace atmost::pass {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

const Host kWeb = {"web-1", "web-1.example.com", "Linux", "x86_64",
                   "PRETTY_NAME=\"Ubuntu\"\nID=ubuntu\nVERSION_ID=\"22.04\"\n"};

TEST(HostClasses, SayWhatTheHostIs) {
  EXPECT_THAT(hard_classes(kWeb),
              UnorderedElementsAre("any", "web_1", "web_1_example_com", "example_com", "com",
                                   "linux", "ubuntu", "ubuntu_22", "ubuntu_22_04", "x86_64"));
  EXPECT_THAT(hard_classes({"h", "h", "", "", ""}), UnorderedElementsAre("any", "h"));
  EXPECT_THAT(hard_classes({"h", "h", "", "", "ID='arch'\n"}),
              UnorderedElementsAre("any", "h", "arch"));
}

TEST(HostClasses, TakeTheDomainFromHosts) {
  struct {
    const char* hosts;
    const char* full;
  } const kTable[] = {
      {"127.0.1.1 web-1.example.com web-1\n", "web-1.example.com"},
      {"127.0.1.1 WEB-1 Web-1.Example.com # web-1.wrong\n", "Web-1.Example.com"},
      {"#127.0.1.1 web-1.example.com web-1\n", "web-1"},
      {"127.0.1.1 other.example.com other\n", "web-1"},
      {"", "web-1"},
      {"127.0.1.1 web-1.example.com\n", "web-1"},  // does not say that it is us
  };
  for (const auto& row : kTable) EXPECT_EQ(full_name_in(row.hosts, "web-1"), row.full) << row.hosts;
  EXPECT_EQ(full_name_in("1 a.b.c a\n", "a.x"), "a.x");
}

TEST(HostClasses, MatchHostsByNameAndPattern) {
  struct {
    const char* pattern;
    bool matches;
  } const kTable[] = {
      {"web-1", true},  {"WEB-1", true}, {"web-*", true},      {"web-1.example.com", true},
      {"*.com", true},  {"web", false},  {"web-[2-9]", false}, {"web-?", true},
      {"*.org", false}, {"web_1", false}};
  for (const auto& row : kTable)
    EXPECT_EQ(host_matches(kWeb, row.pattern), row.matches) << row.pattern;
}

TEST(HostClasses, AskAGroupOnceAndOnlyWhenItMatters) {
  std::map<std::string, Group> groups;
  groups["front"] = {{"web-*"}, {}};
  groups["loaded"] = {{}, {"test"}};
  groups["com"] = {{"nobody"}, {}};  // the user's word counts, not the domain's
  int asked = 0;
  HostClasses classes(kWeb, groups, [&](const std::string&, const std::vector<std::string>&) {
    return ++asked > 0;
  });
  const request::CivilTime time{2026, 11, 21, 6, 7, 38};
  EXPECT_TRUE(classes.holds("", time));
  EXPECT_TRUE(classes.holds("front.Saturday", time));
  EXPECT_FALSE(classes.holds("Sunday.loaded", time));
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(classes.holds("loaded.Hr07", time));
  EXPECT_TRUE(classes.holds("loaded", time));
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(classes.holds("com", time));
  EXPECT_THAT(classes.all(time), Contains("loaded"));
  EXPECT_THAT(classes.all(time), Not(Contains("com")));
}

TEST(HostClasses, ComeFromExitCodes) {
  std::string said;
  const auto remark = [&](const std::string& words) { said += words; };
  EXPECT_TRUE(ask_command("g", {"true"}, remark));
  EXPECT_FALSE(ask_command("g", {"false"}, remark));
  EXPECT_FALSE(ask_command("g", {"/bin/sh", "-c", "kill -9 $$"}, remark));
  EXPECT_EQ(said, "");
  EXPECT_FALSE(ask_command("g", {"/nowhere/at/all"}, remark));
  EXPECT_NE(said.find("group g"), std::string::npos);
}

}  // namespace
}  // namespace atmost::pass
