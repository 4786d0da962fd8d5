#include "cli/place.h"

#include <gtest/gtest.h>

#include <set>

#include "arguments.h"
#include "options/option.h"

namespace atmost::cli {
namespace {

using Words = std::vector<std::string>;

TEST(Options, EveryWayToWriteAValue) {
  for (const Words& words :
       {Words{"-n4", "x"}, Words{"-n", "4", "x"}, Words{"--max=4", "x"}, Words{"--max", "4", "x"},
        Words{"-qn4", "x"}, Words{"-qvn", "4", "x"}, Words{"-n9", "--max=4", "x"}}) {
    Line line(words);
    ASSERT_TRUE(line.ok()) << line.error();
    EXPECT_EQ(line.request().locks[0].max, 4u);
    EXPECT_EQ(line.operands(), Words{"x"});
  }
}

TEST(Options, EndAtTheFirstOperand) {
  Line line({"-q", "x", "-v", "--json", "--", "y"});
  ASSERT_TRUE(line.ok());
  EXPECT_TRUE(line.it->quiet);
  EXPECT_FALSE(line.it->verbose);
  EXPECT_EQ(line.operands(), (Words{"x", "-v", "--json", "--", "y"}));
  Line dashes({"-q", "--", "-n", "x"});
  EXPECT_EQ(dashes.operands(), (Words{"-n", "x"}));
  Line dash({"-", "x"});
  EXPECT_EQ(dash.operands(), (Words{"-", "x"}));
  EXPECT_EQ(Line({"-q"}).it->operand_count, 0);
  EXPECT_EQ(Line({"-q", "--"}).it->operand_count, 0);
  EXPECT_EQ(Line({}).it->operand_count, 0);
}

TEST(Options, TheLastOfSeveralCounts) {
  Line line({"--wait=5s", "--on-busy=join", "-w", "7s", "--on-busy", "fail", "--until=main",
             "--until", "tree", "x"});
  ASSERT_TRUE(line.ok()) << line.error();
  EXPECT_EQ(line.request().wait, Duration::seconds(7));
  EXPECT_EQ(line.request().on_busy, OnBusy::fail);
  EXPECT_EQ(line.request().until, Until::tree);
}

TEST(Options, ReachTheRequest) {
  Line line({"-n",
             "8",
             "-k3",
             "-w",
             "inf",
             "--on-busy=skip",
             "--if-elapsed=1h",
             "--on-too-soon",
             "wait",
             "--elapsed-from",
             "success",
             "--expire-after=2h",
             "--max-runtime=90",
             "--kill-grace=0",
             "--now=12.5",
             "--close",
             "--id=night shift",
             "--mode=660",
             "--trust-fs",
             "--busy-exit-code",
             "9",
             "--status-fd=5",
             "--dir=/d",
             "--host=mars",
             "-v",
             "--json",
             "x"});
  ASSERT_TRUE(line.ok()) << line.error();
  const Request& request = line.request();
  EXPECT_EQ(request.locks[0].max, 8u);
  EXPECT_EQ(request.locks[0].take, 3u);
  EXPECT_TRUE(request.wait.is_forever());
  EXPECT_EQ(request.on_busy, OnBusy::skip);
  EXPECT_EQ(request.if_elapsed, Duration::seconds(3600));
  EXPECT_EQ(request.on_too_soon, OnTooSoon::wait);
  EXPECT_EQ(request.elapsed_from, ElapsedFrom::success);
  EXPECT_EQ(request.expire_after, Duration::seconds(7200));
  EXPECT_EQ(request.max_runtime, Duration::seconds(90));
  EXPECT_TRUE(request.kill_grace.is_zero());
  EXPECT_TRUE(request.now_given);
  EXPECT_EQ(request.now_real_ns, 12'500'000'000);
  EXPECT_TRUE(request.close_fd);
  EXPECT_EQ(request.id.view(), "night shift");
  EXPECT_EQ(request.create_mode, 0660u);
  EXPECT_TRUE(request.trust_fs);
  EXPECT_EQ(line.it->busy_exit_code, 9);
  EXPECT_EQ(line.it->status_fd, 5);
  EXPECT_EQ(line.it->dir, "/d");
  EXPECT_EQ(line.it->host, "mars");
  EXPECT_TRUE(line.it->verbose && line.it->json && !line.it->quiet);
}

TEST(Options, DefaultsAreThoseOfTheManual) {
  Line line({"x"});
  ASSERT_TRUE(line.ok());
  const Request& request = line.request();
  EXPECT_EQ(request.locks[0].max, 1u);
  EXPECT_EQ(request.locks[0].take, 1u);
  EXPECT_TRUE(request.wait.is_zero());
  EXPECT_EQ(request.on_busy, OnBusy::fail);
  EXPECT_TRUE(request.if_elapsed.is_zero());
  EXPECT_TRUE(request.expire_after.is_forever());
  EXPECT_TRUE(request.max_runtime.is_zero());
  EXPECT_EQ(request.kill_grace, Duration::seconds(2));
  EXPECT_EQ(request.until, Until::main);
  EXPECT_EQ(request.create_mode, 0600u);
  EXPECT_EQ(line.it->busy_exit_code, 75);
  EXPECT_EQ(line.it->status_fd, -1);
}

struct Wrong {
  Words words;
  unsigned subcommand;
  std::string error;
};

TEST(Options, ErrorsNameTheOptionTheTextAndWhatWouldBeRight) {
  const Wrong cases[] = {
      {{"--wait", "5x", "l"},
       kRun,
       "--wait: \"5x\" is not a duration: use a number with ms, s, m, h, d or w, or inf"},
      {{"-w", "5x", "l"},
       kRun,
       "--wait: \"5x\" is not a duration: use a number with ms, s, m, h, d or w, or inf"},
      {{"-w", "-1", "l"},
       kRun,
       "--wait: \"-1\" is not a duration: use a number with ms, s, m, h, d or w, or inf"},
      {{"-w", "auto", "l"},
       kRun,
       "--wait: \"auto\" is not a duration: use a number with ms, s, m, h, d or w, or inf"},
      {{"--max=", "l"},
       kRun,
       "--max: \"\" is not a whole number from 0 to 262144, nor inf, cpus, cpus/K, cpus-K or P%"},
      {{"-n-1", "l"},
       kRun,
       "--max: \"-1\" is not a whole number from 0 to 262144, nor inf, cpus, cpus/K, cpus-K or P%"},
      {{"-n", "262145", "l"},
       kRun,
       "--max: \"262145\" is not a whole number from 0 to 262144, nor inf, cpus, cpus/K, cpus-K or "
       "P%"},
      {{"-n", "1.5", "l"},
       kRun,
       "--max: \"1.5\" is not a whole number from 0 to 262144, nor inf, cpus, cpus/K, cpus-K or "
       "P%"},
      {{"-k0", "l"}, kRun, "--take: \"0\" is not a whole number from 1 to 1024"},
      {{"-k1025", "l"}, kRun, "--take: \"1025\" is not a whole number from 1 to 1024"},
      {{"--on-busy=die", "l"},
       kRun,
       "--on-busy: \"die\" is none of fail, skip, replace, join, supersede"},
      {{"--on-too-soon=", "l"}, kRun, "--on-too-soon: \"\" is none of fail, skip, wait"},
      {{"--elapsed-from=end", "l"},
       kRun,
       "--elapsed-from: \"end\" is none of start, finish, success"},
      {{"--until=dawn", "l"}, kRun, "--until: \"dawn\" is none of main, tree, close"},
      {{"--exec=yes", "l"}, kRun, "--exec: takes no value"},
      {{"-n"}, kRun, "--max: needs a value: N|cpus"},
      {{"--wait"}, kRun, "--wait: needs a value: DUR"},
      {{"--waits=4", "l"}, kRun, "--waits: no option of run; did you mean --wait?"},
      {{"--wai=4", "l"}, kRun, "--wai: no option of run; did you mean --wait?"},
      {{"-x", "l"},
       kRun,
       "-x: no option of run: a lock for one writer, which excludes readers with --shared, is "
       "--exclusive"},
      {{"-qx4", "l"},
       kRun,
       "-x: no option of run: a lock for one writer, which excludes readers with --shared, is "
       "--exclusive"},
      {{"--watch", "l"}, kRun, "--watch: no option of run: atmost run --help-all lists them"},
      {{"-n4", "l"}, kList, "--max: no option of list: atmost list --help lists them"},
      {{"--exec", "l"}, kCheck, "--exec: no option of check: atmost check --help lists them"},
      {{"--slot=0", "l"}, kDrain, "--slot: \"0\" is not a whole number from 1 to 262144"},
      {{"--timeout=5", "l"},
       kRun,
       "--timeout: means two things: use --wait for how long to wait for admission, or "
       "--max-runtime for how "
       "long the "
       "command may run"},
      {{"--busy-exit-code=256", "l"},
       kRun,
       "--busy-exit-code: \"256\" is not a whole number from 0 to 255"},
      {{"--status-fd=-1", "l"},
       kRun,
       "--status-fd: \"-1\" is not a whole number from 0 to 1048575"},
      {{"--dir=", "l"}, kRun, "--dir: the directory has no name"},
      {{"--mode=9", "l"},
       kRun,
       "--mode: \"9\" is not a file mode: use three octal digits, such as 600 or 660"},
      {{"--id=" + std::string(64, 'i'), "l"},
       kRun,
       "--id: \"" + std::string(64, 'i') + "\" is too long: use at most 63 bytes"},
      {{"--host=a/b", "l"},
       kRun,
       "--host: \"a/b\" is not a host's name: use one without slashes or a leading dot, up to 200 "
       "bytes"},
      {{"--host=..", "l"},
       kRun,
       "--host: \"..\" is not a host's name: use one without slashes or a leading dot, up to 200 "
       "bytes"},
  };
  for (const Wrong& one : cases) {
    Line line(one.words, one.subcommand);
    ASSERT_FALSE(line.ok()) << one.error;
    EXPECT_EQ(line.result.error().code, Code::usage);
    EXPECT_EQ(line.error(), one.error);
  }
}

TEST(Options, AStoreIsAFileOrALink) {
  EXPECT_TRUE(Line({"--store=file:", "l"}).ok());
  EXPECT_TRUE(Line({"--store=symlink:", "l"}).ok());
  EXPECT_EQ(Line({"--store=ftp:", "l"}).error(),
            "--store: is not a store: use file:, symlink:, etcd://HOST:PORT[,HOST:PORT...]/PREFIX, "
            "postgres://... or shared:/DIRECTORY");
  EXPECT_TRUE(Line({"--store=shared:/mnt/locks", "l"}).ok());
  EXPECT_EQ(Line({"--store=shared:locks", "l"}).error(),
            "--store: names no directory by its whole path: use shared:/DIRECTORY, on NFS");
  const std::string error = Line({"--store=etcd://me:secret@host/x", "l"}).error();
  EXPECT_EQ(error, "--store: holds a password, which others could see: leave it out of the URL");
  EXPECT_EQ(Line({"--store=postgres://me:secret", "l"}).error().find("secret"), std::string::npos);
}

TEST(Options, AutoIsALimitThatIsLearned) {
  EXPECT_TRUE(Line({"--store=etcd://h/x", "--on-lost=warn", "l"}).ok());
  EXPECT_EQ(Line({"--on-lost=sing", "l"}).error(), "--on-lost: \"sing\" is none of stop, warn");
  EXPECT_TRUE(Line({"--if-elapsed=auto", "--expire-after=auto", "--max-runtime=auto",
                    "--auto-min=5", "--auto-max=1h", "--auto-risk=0.5", "l"})
                  .ok());
  EXPECT_TRUE(Line({"--if-elapsed=auto", "--if-elapsed=5", "l"}).ok()) << "the last counts";
  EXPECT_EQ(Line({"--auto-risk=0", "l"}).error(),
            "--auto-risk: \"0\" is not a number of runs in 1,000: use one from 0.001 to 500, such "
            "as 3 or 0.5");
  EXPECT_EQ(Line({"--auto-max=0", "l"}).error(), "--auto-max: use more than 0");
  EXPECT_EQ(Line({"--auto-min=2h", "--auto-max=1h", "l"}).error(),
            "--auto-min: is longer than --auto-max");
  EXPECT_FALSE(Line({"--store=symlink:", "--expire-after=auto", "l"}).ok());
}

TEST(Options, TheTableIsSound) {
  std::set<std::string_view> names;
  std::set<char> letters;
  for (const Option& option : all_options()) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    EXPECT_TRUE(option.letter == 0 || letters.insert(option.letter).second) << option.letter;
    EXPECT_FALSE(option.help.empty());
    EXPECT_LE(option.help.size(), 70u) << option.name << ": one line of help";
    EXPECT_NE(option.takers, 0u);
    EXPECT_LE(option.name.size() + option.value.size(), 24u) << "the column of help";
  }
}

}  // namespace
}  // namespace atmost::cli
