// The original compares our text with the output of ps.
#include "store/symlink/mutex_link.h"

#include <gtest/gtest.h>
#include <stdio.h>
#include <unistd.h>

#include <sstream>
#include <string>

namespace atmost::symlink {
namespace {

TEST(PsName, FitsAColumnOfEight) {
  EXPECT_EQ(ps_name("root", 0).view(), "root");
  EXPECT_EQ(ps_name("abcdefgh", 1).view(), "abcdefgh");
  EXPECT_EQ(ps_name("abcdefghi", 1).view(), "abcdefg+");
  EXPECT_EQ(ps_name("", 4294967294).view(), "4294967+");
  EXPECT_EQ(ps_name("", 12345678).view(), "12345678");
  EXPECT_EQ(ps_name(std::string(33, 'a'), 77).view(), "77");
  EXPECT_EQ(ps_name(std::string(32, 'a'), 77).view(), "aaaaaaa+");
  EXPECT_EQ(ps_name("zo\xc3\xab", 1).view(), "zo??");
}

TEST(PsName, ThePsidIsWhatPsSays) {
  const Result<Text<127>> psid = psid_of(getpid());
  ASSERT_TRUE(psid.ok()) << psid.error().message.c_str();
  const std::string command =
      "LC_ALL=C ps -o user= -o group= -o ppid= -o pgid= -p " + std::to_string(getpid());
  FILE* ps = popen(command.c_str(), "r");
  ASSERT_NE(ps, nullptr);
  char line[256] = {};
  ASSERT_NE(fgets(line, sizeof line, ps), nullptr) << "procps is missing";
  pclose(ps);
  std::istringstream words(line);
  std::string user, group, parent, leader;
  words >> user >> group >> parent >> leader;
  EXPECT_EQ(psid.value().view(), user + "." + group + "." + parent + "." + leader);
}

TEST(PsName, OfAProcessThatIsGoneThereIsNone) { EXPECT_FALSE(psid_of(INT32_MAX).ok()); }

}  // namespace
}  // namespace atmost::symlink
