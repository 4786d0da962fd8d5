#include "cli/listing.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace atmost::cli {
namespace {

std::string path_of(std::initializer_list<const char*> words, const char* label) {
  std::string line;
  for (const char* word : words) line.append(word).push_back('\0');
  return std::string(path_of_command(line, label));
}

TEST(CommandWords, AScriptIsShownByItsPath) {
  EXPECT_EQ(path_of({"sh", "/home/ann/nightly.sh", "-v"}, "sh"), "/home/ann/nightly.sh");
  EXPECT_EQ(path_of({"/usr/bin/python3.11", "train.py", "--lr", "1"}, "python3.11"), "train.py");
  EXPECT_EQ(path_of({"/bin/sh", "/srv/job.sh"}, "job.sh"), "/srv/job.sh");
}

TEST(CommandWords, AProgramIsShownByItsPathIfItWasCalledByOne) {
  EXPECT_EQ(path_of({"/opt/bin/render", "scene"}, "render"), "/opt/bin/render");
  EXPECT_EQ(path_of({"render", "scene"}, "render"), "");
}

TEST(CommandWords, TheCommandOfAnAtmostIsFound) {
  EXPECT_EQ(path_of({"atmost", "run", "--wait", "lock", "--", "bash", "b.sh"}, "bash"), "b.sh");
  EXPECT_EQ(path_of({"/usr/bin/atmost", "run", "sh", "sh", "b.sh"}, "sh"), "b.sh");
  EXPECT_EQ(path_of({"atmost", "run", "lock", "make"}, "another"), "");
}

TEST(CommandWords, OptionsAndTheirValuesAreNotShown) {
  EXPECT_EQ(path_of({"sh", "-c", "echo secret"}, "sh"), "");
  EXPECT_EQ(path_of({"python3", "-m", "module"}, "python3"), "");
  EXPECT_EQ(path_of({"sh"}, "sh"), "");
  EXPECT_EQ(path_of({"make", "/etc"}, "make"), "");
}

TEST(CommandWords, NorWordsThatMayCarrySomethingSecret) {
  EXPECT_EQ(path_of({"sh", "key=123"}, "sh"), "");
  EXPECT_EQ(path_of({"sh", "ann@host"}, "sh"), "");
  EXPECT_EQ(path_of({"node", "https://host/x.js"}, "node"), "");
  EXPECT_EQ(path_of({"/srv/a=b/tool"}, "tool"), "");
}

TEST(CommandWords, AWordThatWasCutIsNone) {
  const std::string line("sh\0/srv/very/lo", 15);
  EXPECT_EQ(path_of_command(line, "sh"), "");
  EXPECT_EQ(path_of_command("sh", "sh"), "");
  EXPECT_EQ(path_of_command("", "sh"), "");
  EXPECT_EQ(path_of_command(line, ""), "");
}

TEST(CommandWords, ARecordHoldsTheBeginningOfALongName) {
  const std::string name(80, 'x');
  const std::string path = "/srv/" + name;
  EXPECT_EQ(path_of({path.c_str()}, name.substr(0, 63).c_str()), path);
  EXPECT_EQ(path_of({path.c_str()}, name.substr(0, 62).c_str()), "");
}

}  // namespace
}  // namespace atmost::cli
