// A mount that never answers must not hang the doctor, nor the reader of its output.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "witness_world.h"

namespace witness {
namespace {

struct Told {
  int code = -1;
  std::string text;
  std::int64_t took_ms = 0;
};

Told doctor_on_hung_mount(const Argv& options) {
  TempDir temp;
  const std::string mount = temp.file("mount");
  EXPECT_EQ(mkdir(mount.c_str(), 0755), 0);
  const std::string output = temp.file("output");
  const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  World world;
  Argv argv = {helper("hung_mount"), mount, under_test("atmost"), "doctor"};
  argv.insert(argv.end(), options.begin(), options.end());
  argv.push_back(mount);
  const std::int64_t start = now_ns();
  const int status = world.run(argv, {-1, out, -1});
  const std::int64_t took = now_ns() - start;
  close(out);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(output), took / 1'000'000};
}

TEST(DoctorHang, AnswersWithinFiveSeconds) {
  const Told told = doctor_on_hung_mount({});
  if (told.code == 125) GTEST_SKIP() << "needs root and FUSE";
  EXPECT_EQ(told.code, 74) << told.text;
  EXPECT_LT(told.took_ms, 5000);
  EXPECT_NE(told.text.find("FAIL  answers         no answer within 4 s: opening the directory"),
            std::string::npos)
      << told.text;
  EXPECT_NE(told.text.find("\nno: locks cannot be trusted in "), std::string::npos) << told.text;
}

TEST(DoctorHang, SaysSoInJson) {
  const Told told = doctor_on_hung_mount({"--json"});
  if (told.code == 125) GTEST_SKIP() << "needs root and FUSE";
  EXPECT_NE(told.text.find("{\"level\":\"fail\",\"check\":\"answers\""), std::string::npos)
      << told.text;
  EXPECT_NE(told.text.find("\n{\"level\":\"fail\",\"check\":\"verdict\",\"what\":\"no\""),
            std::string::npos)
      << told.text;
}

// The child that hangs must not keep our reader waiting for the end of the output.
TEST(DoctorHang, LetsGoOfItsOutput) {
  TempDir temp;
  const std::string mount = temp.file("mount");
  ASSERT_EQ(mkdir(mount.c_str(), 0755), 0);
  World world;
  const std::string script = "\"$0\" doctor \"$1\" | cat >/dev/null; echo over >\"$2\"";
  const std::int64_t start = now_ns();
  const int status = world.run({helper("hung_mount"), mount, "/bin/sh", "-c", script,
                                under_test("atmost"), mount, temp.file("over")});
  if (words(status) == "exit 125") GTEST_SKIP() << "needs root and FUSE";
  EXPECT_EQ(read_file(temp.file("over")), "over\n");
  EXPECT_LT(now_ns() - start, 5'000'000'000);
}

}  // namespace
}  // namespace witness
