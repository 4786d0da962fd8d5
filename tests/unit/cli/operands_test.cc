#include "cli/place.h"
#include "options/words.h"

#include <gtest/gtest.h>

#include "arguments.h"

namespace atmost::cli {
namespace {

std::string answer(const std::vector<std::string>& words, unsigned subcommand = kRun) {
  const Line line(words, subcommand);
  const Status checked = line.ok() ? check_operands(*line.it) : line.result;
  return checked.ok() ? "" : std::string(checked.error().message.view());
}

TEST(Operands, AForgottenLockIsNoLock) {
  for (const char* program :
       {"sh",   "bash",  "dash",   "zsh",     "ksh",    "python", "python3", "perl",
        "ruby", "node",  "env",    "nice",    "ionice", "chrt",   "sudo",    "doas",
        "su",   "nohup", "setsid", "timeout", "time",   "xargs",  "flock"}) {
    EXPECT_NE(answer({program, "x"}).find("was LOCK forgotten?"), std::string::npos) << program;
    EXPECT_EQ(answer({program, "--", "x"}), "") << program;
    EXPECT_EQ(answer({program, program, "x"}), "") << "COMMAND's own name";
    EXPECT_EQ(answer({program, std::string("/opt/") + program}), "") << program;
    EXPECT_EQ(answer({program}, kKill), "") << "no COMMAND follows";
  }
  for (const char* name : {"shell", "python3.11", "make", "job", "./sh", "/x/env", "a:sh"})
    EXPECT_EQ(answer({name, "x"}), "") << name;
}

TEST(Operands, AnAssignmentIsNoLock) {
  for (const char* word : {"A=1", "_x9=", "PATH=/bin:/usr/bin"})
    EXPECT_NE(answer({word, "x"}).find("is a shell's assignment"), std::string::npos) << word;
  EXPECT_EQ(answer({"A=1", "--", "x"}), "");
  EXPECT_EQ(answer({"9a=1", "x"}), "");
  EXPECT_EQ(answer({"a:b=1", "x"}), "");
  EXPECT_EQ(answer({"PASSWORD=secret", "x"}).find("secret"), std::string::npos);
}

TEST(Operands, AnOptionBehindLockIsNoCommand) {
  EXPECT_NE(answer({"job", "-n", "4"}).find("options come before LOCK"), std::string::npos);
  EXPECT_EQ(answer({"job", "--token=secret"}).find("secret"), std::string::npos);
  EXPECT_EQ(answer({"job", "--", "-n"}), "");
  EXPECT_EQ(answer({"job", "true", "-n"}), "");
}

TEST(Operands, ADashIsNoHyphen) {
  const char* const dashes[] = {"\u2010", "\u2011", "\u2012", "\u2013",
                                "\u2014", "\u2015", "\u2212"};
  for (const std::string dash : dashes) {
    EXPECT_TRUE(begins_with_dash(dash)) << dash;
    EXPECT_NE(answer({dash + "n", "4"}).find("type -n"), std::string::npos) << dash;
    EXPECT_NE(answer({dash + "wait", "4"}).find("type --wait"), std::string::npos) << dash;
    EXPECT_NE(answer({"job", dash, "x"}).find("type --"), std::string::npos) << dash;
    EXPECT_NE(answer({dash + "watch"}, kList).find("type --watch"), std::string::npos) << dash;
    EXPECT_EQ(answer({"--", dash + "n", "x"}), "") << dash;
  }
  for (const char* other : {"-", "", "\xe2", "\xe2\x80", "\u2016", "\u200f", "\u2213", "a\u2013"})
    EXPECT_FALSE(begins_with_dash(other)) << other;
}

}  // namespace
}  // namespace atmost::cli
