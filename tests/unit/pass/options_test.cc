#include "options.h"

#include <gtest/gtest.h>

#include <vector>

namespace atmost::pass {
namespace {

bool read(std::vector<std::string> words, Options& to, std::string& wrong) {
  words.insert(words.begin(), "atmost-pass");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return read_options(static_cast<int>(words.size()), argv.data(), to, wrong);
}

TEST(Options, AreRead) {
  Options options;
  std::string wrong;
  ASSERT_TRUE(read({"-j4", "--max-passes=2", "--clock", "atom", "--now", "100.5", "--dir", "d",
                    "--host=h", "--store", "etcd://h/p", "-v", "f"},
                   options, wrong))
      << wrong;
  EXPECT_EQ(options.jobs, 4U);
  EXPECT_EQ(options.max_passes, 2U);
  EXPECT_TRUE(options.clock_per_atom);
  EXPECT_EQ(options.now_ns, 100'500'000'000);
  EXPECT_EQ(options.dir, "d");
  EXPECT_EQ(options.host, "h");
  EXPECT_EQ(options.store, "etcd://h/p");
  EXPECT_TRUE(options.verbose);
  EXPECT_EQ(options.file, "f");
}

TEST(Options, AreRefusedWithASentence) {
  const std::vector<std::vector<std::string>> kTable = {
      {},
      {""},
      {"f", "g"},
      {"-j0", "f"},
      {"-j", "x", "f"},
      {"--jobs=2000", "f"},
      {"--max-passes=0", "f"},
      {"--clock=wall", "f"},
      {"--now=tomorrow", "f"},
      {"--dir=", "f"},
      {"--nonsense", "f"},
      {"-z", "f"},
      {"--dry-run=yes", "f"},
      {"-q", "-v", "f"},
      {"--dry-run", "--classes", "f"},
      {"--dir"},
  };
  for (const auto& words : kTable) {
    Options options;
    std::string wrong;
    EXPECT_FALSE(read(words, options, wrong)) << ::testing::PrintToString(words);
    EXPECT_NE(wrong, "") << ::testing::PrintToString(words);
  }
}

TEST(Options, NeedNoFileForClasses) {
  Options options;
  std::string wrong;
  EXPECT_TRUE(read({"--classes"}, options, wrong));
  EXPECT_EQ(options.file, "");
}

}  // namespace
}  // namespace atmost::pass
