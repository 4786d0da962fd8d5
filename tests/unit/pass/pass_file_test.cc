#include "pass_file.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace atmost::pass {
namespace {

struct Reading {
  PassFile file;
  std::vector<Remark> faults;
  std::vector<Remark> remarks;
};

Reading read(const std::string& text) {
  Reading reading;
  read_pass_file(text, reading.file, reading.faults, reading.remarks);
  return reading;
}

// The values of the atom's options.
std::unique_ptr<Settings> settings_of(const Atom& atom) {
  auto settings = std::make_unique<Settings>();
  EXPECT_TRUE(set_words(atom.words, *settings).ok());
  return settings;
}

const std::string kAtom =
    "[[atom]]\noperator = \"copy\"\noperand = \"x\"\ncommand = [\"true\"]\n";  // four lines

TEST(PassFile, IsRead) {
  const Reading reading = read(R"(
[defaults]
time_zone = "UTC"
if_elapsed = "15m"
environment = { A = "1", B = "2" }
kill_grace = 5

[groups]
web = ["web*", "proxy"]
loaded = { command = ["test", "-e", "/run/loaded", ""] }
both = { hosts = ["a"], command = "exit 0", shell = true }
nobody = []

[[atom]]
operator = "copy"
operand = "/etc/passwd"
command = ["cp", "--", "a b", ""]
expire_after = "1h30m"
max = 3
max_runtime = 90
environment = { B = "3" }
directory = "/tmp"
user = "nobody"
scope = "host"
ttl = "1m"
when = "web.Hr02 | !Monday"

[[atom]]
operator = "copy"
operand = "y"
shell = true
command = "true | false"
if_elapsed = "inf"
)");
  ASSERT_TRUE(reading.faults.empty()) << reading.faults[0].words;
  EXPECT_EQ(reading.file.time_zone, "UTC");
  EXPECT_EQ(reading.file.groups.at("web").hosts, (std::vector<std::string>{"web*", "proxy"}));
  EXPECT_EQ(reading.file.groups.at("both").command,
            (std::vector<std::string>{"/bin/sh", "-c", "exit 0"}));
  EXPECT_TRUE(reading.file.groups.contains("nobody"));
  ASSERT_EQ(reading.file.atoms.size(), 2U);
  const Atom& one = reading.file.atoms[0];
  EXPECT_EQ(one.name(), "copy:/etc/passwd");
  EXPECT_EQ(one.command, (std::vector<std::string>{"cp", "--", "a b", ""}));
  const std::unique_ptr<Settings> first = settings_of(one);
  EXPECT_EQ(first->request.if_elapsed, Duration::seconds(900));
  EXPECT_EQ(first->request.expire_after, Duration::seconds(5400));
  EXPECT_EQ(first->request.kill_grace, Duration::seconds(5));
  EXPECT_EQ(first->request.max_runtime, Duration::seconds(90));
  EXPECT_EQ(first->request.ttl, Duration::seconds(60));
  EXPECT_EQ(one.max, 3U);
  EXPECT_TRUE(one.each_host);
  EXPECT_FALSE(reading.file.atoms[1].each_host);
  EXPECT_EQ(one.environment, (std::map<std::string, std::string>{{"A", "1"}, {"B", "3"}}));
  EXPECT_EQ(one.directory, "/tmp");
  EXPECT_EQ(one.user, "nobody");
  EXPECT_TRUE(one.names_hours);
  EXPECT_EQ(one.at.line, 14U);
  const Atom& two = reading.file.atoms[1];
  EXPECT_EQ(two.command, (std::vector<std::string>{"/bin/sh", "-c", "true | false"}));
  const std::unique_ptr<Settings> second = settings_of(two);
  EXPECT_TRUE(second->request.if_elapsed.is_forever());
  EXPECT_TRUE(second->request.expire_after.is_forever());
  EXPECT_FALSE(two.names_hours);
}

// The only fault, and its place.
TEST(PassFile, IsRefusedWithThePlace) {
  struct {
    std::string text;
    SourcePlace at;
    const char* words;
  } const kTable[] = {
      {"", {0, 0}, "no [[atom]]"},
      {"a = \n", {1, 5}, ""},
      {kAtom + "iff_elapsed = 3\n", {5, 1}, "not a key of an atom"},
      {kAtom + "[default]\n", {5, 2}, "not a key of the file"},
      {"[defaults]\noperand = \"x\"\n" + kAtom, {2, 1}, "not a key of [defaults]"},
      {kAtom + "if_elapsed = \"15 minutes\"\n", {5, 14}, "is not a duration"},
      {kAtom + "if_elapsed = -1\n", {5, 14}, "is not a duration"},
      {kAtom + "if_elapsed = 1.5\n", {5, 14}, "a fraction"},
      {kAtom + "max = \"three\"\n", {5, 7}, "whole number"},
      {kAtom + "max = true\n", {5, 7}, "whole number"},
      {kAtom + "max = -1\n", {5, 7}, "whole number"},
      {kAtom + "max = 262145\n", {5, 7}, "262144"},
      {kAtom + "shell = true\n", {4, 11}, "should be a text"},
      {kAtom + "shell = \"yes\"\n", {5, 9}, "true or false"},
      {kAtom + "directory = \"tmp\"\n", {5, 13}, "relative"},
      {kAtom + "user = \"\"\n", {5, 8}, "is empty"},
      {kAtom + "user = \"a\\u0000\"\n", {5, 8}, "NUL"},
      {kAtom + "environment = { A = 1 }\n", {5, 21}, "should be a text"},
      {kAtom + "environment = { \"A=B\" = \"1\" }\n", {5, 17}, "not a name for a variable"},
      {kAtom + "environment = { ATMOST_HELD = \"\" }\n", {5, 17}, "ATMOST_HELD"},
      {kAtom + "environment = \"A=1\"\n", {5, 15}, "a table"},
      {kAtom + "when = \"Hr02.(web|\"\n", {5, 19}, "a class name is missing"},
      {kAtom + "when = 'Hr24'\n", {5, 9}, "no such time"},
      {kAtom + "  when   =   \"a b\"\n", {5, 17}, "expected"},
      {kAtom + "when = \"\"\"a\nb\"\"\"\n", {5, 8}, "character 3"},
      {kAtom + "when = \"\\u0061 b\"\n", {5, 8}, "character 3"},
      {kAtom + kAtom, {5, 1}, "an atom already, at line 1"},
      {"[[atom]]\noperand = \"x\"\ncommand = [\"true\"]\n", {1, 1}, "no operator"},
      {"[[atom]]\noperator = \"x\"\ncommand = [\"true\"]\n", {1, 1}, "no operand"},
      {"[[atom]]\noperator = \"a\"\noperand = \"x\"\n", {1, 1}, "no command"},
      {"[[atom]]\noperator = \"a:b\"\noperand = \"x\"\ncommand = [\"true\"]\n", {2, 12}, "colon"},
      {"[[atom]]\noperator = \"/a\"\noperand = \"x\"\ncommand = [\"true\"]\n", {2, 12}, "path"},
      {"[[atom]]\noperator = \"a\"\noperand = \"x/\"\ncommand = [\"true\"]\n", {3, 11}, "slash"},
      {"[[atom]]\noperator = \"a\"\noperand = \"x\"\ncommand = []\n", {4, 11}, "empty array"},
      {"[[atom]]\noperator = \"a\"\noperand = \"x\"\ncommand = [\"\"]\n", {4, 12}, "is empty"},
      {"[[atom]]\noperator = \"a\"\noperand = \"x\"\ncommand = [\"a\", 3]\n",
       {4, 17},
       "a whole number"},
      {"[[atom]]\noperator = \"a\"\noperand = \"x\"\ncommand = \"true\"\n", {4, 11}, "array"},
      {"atom = 3\n", {1, 8}, "[[atom]]"},
      {"[groups]\n\"a.b\" = [\"x\"]\n" + kAtom, {2, 1}, "not a name for a group"},
      {"[groups]\nHr02 = [\"x\"]\n" + kAtom, {2, 1}, "a class already"},
      {"[groups]\nHr24 = [\"x\"]\n" + kAtom, {2, 1}, "not a name for a group"},
      {"[groups]\na = 3\n" + kAtom, {2, 5}, "array of hosts"},
      {"[groups]\na = [3]\n" + kAtom, {2, 6}, "texts alone"},
      {"[groups]\na = {}\n" + kAtom, {2, 1}, "neither"},
      {"[defaults]\ntime_zone = \"Mars/Olympus\"\n" + kAtom, {2, 13}, "no zone"},
      {"defaults = 1\n" + kAtom, {1, 12}, "a table"},
      {kAtom + "output_max = \"64K\"\n", {5, 14}, "on-failure"},
      {kAtom + "notify_on = [\"lost\"]\n", {5, 13}, "use both"},
      {"[defaults]\noutput_max = \"64K\"\n" + kAtom, {2, 14}, "on-failure"},
      {"[defaults]\nttl = \"5s\"\n" + kAtom + "kill_grace = 9\n", {7, 14}, "ttl: 5s is too short"},
  };
  for (const auto& row : kTable) {
    const Reading reading = read(row.text);
    ASSERT_EQ(reading.faults.size(), 1U) << row.text;
    const Remark& fault = reading.faults[0];
    EXPECT_EQ(fault.at.line, row.at.line) << row.text << fault.words;
    EXPECT_EQ(fault.at.column, row.at.column) << row.text << fault.words;
    EXPECT_NE(fault.words.find(row.words), std::string::npos) << row.text << fault.words;
  }
}

TEST(PassFile, ADefaultNeedsOneAtomThatHasAUseForIt) {
  const std::string other =
      "[[atom]]\noperator = \"copy\"\noperand = \"y\"\ncommand = [\"true\"]\n";
  const std::string defaults = "[defaults]\nnotify_on = [\"lost\"]\n";
  EXPECT_TRUE(read(defaults + kAtom + other + "notify = \"true\"\n").faults.empty());
  EXPECT_TRUE(read(defaults + kAtom + "notify = \"true\"\n" + other).faults.empty());
  EXPECT_EQ(read(defaults + kAtom + other).faults.size(), 1U);
  EXPECT_TRUE(read("[defaults]\nping_output = true\noutput = \"tail\"\n" + kAtom +
                   "output = \"show\"\n" + other)
                  .faults.empty());
}

TEST(PassFile, NamesEveryFaultInOrder) {
  const Reading reading =
      read("[[atom]]\noperator = 1\noperand = 2\ncommand = 3\nwhen = 4\nmax = 'a'\n");
  ASSERT_EQ(reading.faults.size(), 5U);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(reading.faults[i].at.line, i + 2);
}

TEST(PassFile, WarnsOfWhatNeverFinishes) {
  const Reading reading = read(kAtom + "if_elapsed = \"2h\"\nexpire_after = \"1h\"\n");
  EXPECT_TRUE(reading.faults.empty());
  ASSERT_EQ(reading.remarks.size(), 1U);
  EXPECT_EQ(reading.remarks[0].at.line, 6U);
  EXPECT_TRUE(read(kAtom + "if_elapsed = \"1h\"\nexpire_after = \"1h\"\n").remarks.empty());
}

}  // namespace
}  // namespace atmost::pass
