#include "options/combine.h"

#include <gtest/gtest.h>

#include "arguments.h"

namespace atmost::cli {
namespace {

TEST(Combine, AmountsMustFit) {
  EXPECT_EQ(Line({"-n2", "-k3", "l"}).error(), "--take: 3 slots of at most 2: use at most --max");
  EXPECT_TRUE(Line({"-k3", "l"}).ok()) << "the limit of record may have so many";
  EXPECT_EQ(Line({"-k3", "--store", "etcd://h:1/p", "l"}).error(),
            "--take: 3 slots of at most 1: use --max N with an N as large");
  EXPECT_EQ(Line({"-n0", "-k1", "l"}).error(), "--take: 1 slots of at most 0: use at most --max");
  EXPECT_TRUE(Line({"-n3", "-k3", "l"}).ok());
  EXPECT_TRUE(Line({"-n0", "l"}).ok()) << "0 refuses, later";
  EXPECT_EQ(Line({"-k1", "--shared", "l"}).error(),
            "--take: readers with --shared take no slots of their own");
  EXPECT_EQ(Line({"--shared", "--exclusive", "l"}).error(),
            "--exclusive: cannot be --shared as well");
}

TEST(Combine, ExecLeavesNobodyBehind) {
  EXPECT_EQ(Line({"--exec", "l"}).request().until, Until::tree);
  EXPECT_EQ(Line({"--exec", "--until=close", "l"}).request().until, Until::close);
  EXPECT_TRUE(Line({"--exec", "--max-runtime=0", "l"}).ok()) << "0 disables";
  for (const char* other : {"--max-runtime=5", "--close", "--until=main", "--max-runtime=auto"}) {
    Line line({"--exec", other, "l"});
    ASSERT_FALSE(line.ok()) << other;
    EXPECT_NE(line.error().find("--exec"), std::string::npos) << line.error();
    EXPECT_NE(line.error().find("cannot do that yet"), 0u);
  }
  EXPECT_EQ(Line({"--until=close", "l"}).error(),
            "--until: close is for commands that replace atmost: use --exec as well");
}

TEST(Combine, AFlockIsOnAFileAndStaysWithTheSlot) {
  EXPECT_TRUE(Line({"--with-flock", "l"}).request().with_flock);
  EXPECT_FALSE(Line({"l"}).request().with_flock);
  EXPECT_TRUE(Line({"--with-flock", "--exec", "l"}).ok());
  EXPECT_TRUE(Line({"--with-flock", "--for-pid=1", "l"}, kHold).ok());
  EXPECT_EQ(Line({"--with-flock", "l"}, kWait).error(),
            "--with-flock: no option of wait: atmost wait --help lists them");
  for (const char* other : {"--until=close", "--store=symlink:", "--store=etcd://h/x"}) {
    std::vector<std::string> words = {"--with-flock", other, "l"};
    if (std::string_view{other} == "--until=close") words.insert(words.begin(), "--exec");
    EXPECT_EQ(Line(words).error().find("--with-flock: "), 0u) << other;
  }
}

TEST(Combine, SomeWaitForEverUnlessTold) {
  EXPECT_TRUE(Line({"--on-busy=join", "l"}).request().wait.is_forever());
  EXPECT_TRUE(Line({"--on-busy=join", "-w0", "l"}).request().wait.is_zero());
  EXPECT_TRUE(Line({"-n1", "l"}, kWait).request().wait.is_forever());
  EXPECT_EQ(Line({"-n1", "-w5", "l"}, kWait).request().wait, Duration::seconds(5));
  EXPECT_TRUE(Line({"l"}).request().wait.is_zero());
}

TEST(Combine, QuestionsNeedALimit) {
  EXPECT_EQ(Line({"l"}, kWait).request().locks[0].max, 1u);
  EXPECT_TRUE(Line({"l"}, kCheck).ok()) << "counts";
  EXPECT_EQ(Line({"-k1", "l"}, kCheck).error(),
            "--take: only answers with --max: use -n N as well");
}

TEST(Combine, DoubtsAreNamed) {
  EXPECT_NE(doubtful(*Line({"--expire-after=0", "--if-elapsed=0", "l"}).it).find("none finishes"),
            std::string_view::npos);
  EXPECT_EQ(doubtful(*Line({"--expire-after=0", "l"}).it), "") << "replaces on purpose";
  EXPECT_EQ(doubtful(*Line({"--expire-after=0", "--if-elapsed=auto", "l"}).it), "");
  EXPECT_NE(
      doubtful(*Line({"--expire-after=1h", "--if-elapsed=2h", "l"}).it).find("never finishes"),
      std::string_view::npos);
  EXPECT_EQ(doubtful(*Line({"--expire-after=2h", "--if-elapsed=1h", "l"}).it), "");
  EXPECT_EQ(doubtful(*Line({"--expire-after=1h", "--if-elapsed=1h", "l"}).it), "");
  EXPECT_EQ(doubtful(*Line({"--if-elapsed=inf", "l"}).it), "")
      << "without --expire-after nobody is stopped";
}

}  // namespace
}  // namespace atmost::cli
