// The command line of doctor and explain: the options of the other subcommands, in their words.
#include "doctor/options.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "reader/output.h"

namespace atmost::doctor {
namespace {

Options read(std::vector<std::string> words) {
  words.insert(words.begin(), "atmost-doctor");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return parse_options(static_cast<int>(argv.size()), argv.data(), kDoctor);
}

std::string refusal(const std::vector<std::string>& words) {
  try {
    read(words);
  } catch (const history::Failure& failure) {
    EXPECT_EQ(failure.code, Code::usage);
    return failure.what();
  }
  return "none";
}

class DoctorOptions : public testing::Test {
 protected:
  void SetUp() override { unsetenv("ATMOST_STORE"); }
  void TearDown() override { unsetenv("ATMOST_STORE"); }
};

TEST_F(DoctorOptions, AreReadUpToTheFirstOperand) {
  const Options options = read({"-qv", "--json", "--dir=/a", "--host", "h", "x", "--json"});
  EXPECT_TRUE(options.json);
  EXPECT_FALSE(options.help);
  EXPECT_EQ(options.dir, "/a");
  EXPECT_EQ(options.host, "h");
  EXPECT_EQ(options.operands, (std::vector<std::string>{"x", "--json"}));
  EXPECT_EQ(read({"--", "-x"}).operands, std::vector<std::string>{"-x"});
  EXPECT_EQ(read({"-"}).operands, std::vector<std::string>{"-"});
  EXPECT_TRUE(read({"-h"}).help);
  EXPECT_TRUE(read({"-V"}).version);
}

TEST_F(DoctorOptions, WrongOnesAreRefused) {
  EXPECT_EQ(refusal({"--slot=1"}), "--slot: no option of doctor: atmost doctor --help lists them");
  EXPECT_EQ(refusal({"-qx"}), "-x: no option of doctor: atmost doctor --help lists them");
  EXPECT_EQ(refusal({"--json=1"}), "--json: takes no value");
  EXPECT_EQ(refusal({"--dir"}), "--dir: needs a value: DIR");
  EXPECT_EQ(refusal({"--dir="}), "--dir: the directory has no name");
  EXPECT_NE(refusal({"--host=a/b"}).find("\"a/b\" is not a host's name"), std::string::npos);
  // It may hold a password.
  EXPECT_EQ(refusal({"--store=etcd:secret"}).find("secret"), std::string::npos);
  EXPECT_EQ(refusal({"--store=etcd:secret"}).find("--store: "), 0u);
}

TEST_F(DoctorOptions, AnOperandComesBeforeTheStoreOfTheEnvironment) {
  setenv("ATMOST_STORE", "etcd://h/p", 1);
  EXPECT_EQ(doctor_target(read({})), "etcd://h/p");
  EXPECT_EQ(doctor_target(read({"--store=etcd://other/p"})), "etcd://other/p");
  EXPECT_EQ(doctor_target(read({"/d"})), "/d");
  setenv("ATMOST_STORE", "elsewhere", 1);
  EXPECT_EQ(refusal({}).find("$ATMOST_STORE: "), 0u);
  EXPECT_EQ(refusal({"--help"}), "none");
}

}  // namespace
}  // namespace atmost::doctor
