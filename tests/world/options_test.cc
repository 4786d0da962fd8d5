#include "world/options.h"

#include <gtest/gtest.h>

#include <sstream>

#include "world/report.h"

namespace world {
namespace {

std::optional<std::string> read(const std::string& line, Options& options) {
  std::istringstream from(line);
  std::vector<std::string> words;
  for (std::string word; from >> word;) words.push_back(word);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  return read_options(arguments, options);
}

TEST(Options, AreRead) {
  Options options;
  EXPECT_EQ(read("--seed 7 --count 3 --processes real --callers 24 --runs 3 "
                 "--plant early --until-found --steps --out /tmp --jobs 2 --seconds 9",
                 options),
            std::nullopt);
  EXPECT_EQ(options.seed, 7u);
  EXPECT_EQ(options.count, 3u);
  EXPECT_TRUE(options.real_processes && options.until_found && options.steps);
  EXPECT_EQ(options.callers, 24);
  EXPECT_EQ(options.runs, 3);
  EXPECT_EQ(options.plant, "early");
  EXPECT_EQ(options.folder, "/tmp");
  EXPECT_EQ(options.jobs, 2);
  EXPECT_EQ(options.seconds, 9);
}

TEST(Options, WhatIsShortenedIsAFileOrASeed) {
  Options of_file;
  EXPECT_EQ(read("--shrink a.world --picture a.svg --seconds 9", of_file), std::nullopt);
  EXPECT_TRUE(of_file.shrink);
  EXPECT_EQ(of_file.file, "a.world");
  Options of_seed;
  EXPECT_EQ(read("--shrink --seed 3", of_seed), std::nullopt);
  EXPECT_TRUE(of_seed.shrink);
  EXPECT_EQ(of_seed.file, "");
  EXPECT_EQ(of_seed.seed, 3u);
}

TEST(Options, ChildrenAreToldTheSame) {
  Options options;
  ASSERT_EQ(read("--seed 1 --processes real --callers 9 --runs 2 --plant x --out o "
                 "--until-found",
                 options),
            std::nullopt);
  std::string line = "--seed 1";
  for (const std::string& word : for_children(options)) line += " " + word;
  Options child;
  ASSERT_EQ(read(line, child), std::nullopt);
  EXPECT_EQ(for_children(child), for_children(options));
  EXPECT_TRUE(child.real_processes && child.until_found);
  EXPECT_EQ(child.callers, 9);
  EXPECT_EQ(child.runs, 2);
  EXPECT_EQ(child.plant, "x");
  EXPECT_EQ(child.folder, "o");
}

TEST(Options, MistakesAreSentences) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "no world is named; --seed, --seconds, --replay or --shrink names some"},
      {"--sed 1", "there is no option --sed; --help lists them"},
      {"seed", "\"seed\" is not an option; --help lists them"},
      {"--seed", "--seed needs a value"},
      {"--seed -1", "--seed is 0...18446744073709551615, not \"-1\""},
      {"--seed 1 --callers 25", "--callers is 2...24, not \"25\""},
      {"--seed 1 --processes few", "--processes is fibers or real, not \"few\""},
      {"--replay a --seed 1", "a file is one world; it goes with no seeds"},
      {"--shrink", "no world is named; --seed, --seconds, --replay or --shrink names some"},
      {"--shrink --count 2", "--shrink needs a file or --seed"},
      {"--shrink --seed 1 --count 2", "--shrink is about one world"},
      {"--seed 1 --count 2 --picture a", "--picture shows one world: --seed or --replay"},
  };
  for (const auto& [line, mistake] : cases) {
    Options options;
    EXPECT_EQ(read(line, options), mistake) << line;
  }
}

TEST(Report, IsReadAsItWasPrinted) {
  const Sum sum = {.worlds = 12, .found = 2, .admissions = 345, .seconds = 6.78};
  const std::string line = found_line(9, sum, "order", "p1 before\np2");
  EXPECT_EQ(line, "found seed 9 worlds 12 seconds 6.8 order: p1 before p2");
  const auto found = read_found(line);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->seed, 9u);
  EXPECT_EQ(found->breaks, "order");
  EXPECT_EQ(found->text, "p1 before p2");
  EXPECT_FALSE(read_last(line));

  EXPECT_EQ(last_line(sum), "2 found worlds 12 admissions 345 seconds 6.8");
  EXPECT_FALSE(read_found(last_line(sum)));
  EXPECT_EQ(last_line({}), "nothing found worlds 0 admissions 0 seconds 0.0");
  const auto last = read_last(last_line(sum));
  ASSERT_TRUE(last);
  EXPECT_EQ(last->worlds, 12u);
  EXPECT_EQ(last->found, 2u);
  EXPECT_EQ(last->admissions, 345u);
  EXPECT_EQ(read_last("nothing found worlds 3 admissions 4 seconds 0.1")->found, 0u);
}

}  // namespace
}  // namespace world
