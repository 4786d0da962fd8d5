// The end of a command, and its beginning, as the caller sees them.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "run_kit.h"

namespace witness {
namespace {

class RunExit : public Run {
 protected:
  void write_file(const std::string& name, const std::string& text, mode_t mode) {
    std::ofstream(file(name)) << text;
    ASSERT_EQ(chmod(file(name).c_str(), mode), 0);
  }
  std::string ends(const Argv& options, const Argv& command) {
    return words(world_.run(host(options, command)));
  }
};

TEST_F(RunExit, EveryCode) {
  for (int code = 0; code < 256; ++code) {
    ASSERT_EQ(ends({}, child({"exit=" + std::to_string(code)})), "exit " + std::to_string(code));
  }
}

TEST_F(RunExit, EverySignal) {
  for (int signal = 1; signal <= 64; ++signal) {
    if (signal == SIGCHLD || signal == SIGCONT || signal == SIGURG || signal == SIGWINCH) continue;
    if (signal == 32 || signal == 33) continue;  // the C libraries' own
    if (signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU) continue;
    ASSERT_EQ(ends({}, child({"die=" + std::to_string(signal)})),
              "signal " + std::to_string(signal));
  }
}

TEST_F(RunExit, ASignalThatWeWereToldToIgnoreStillEndsUs) {
  // The command has its own mind; we end as it did.
  EXPECT_EQ(words(world_.run(
                then(child({"ignore=15", "block=1"}),
                     host({}, shell("exec " + helper("run_child") + " exit=0; kill -9 $$"))))),
            "exit 0");
  EXPECT_EQ(
      words(world_.run(then(child({"ignore=10"}), host({}, {"/bin/sh", "-c", "kill -9 $$"})))),
      "signal 9");
}

// A dump of ours would overwrite the command's.
TEST_F(RunExit, TheCoreIsTheCommandsOwn) {
  struct rlimit before;
  getrlimit(RLIMIT_CORE, &before);
  struct rlimit all = before;
  all.rlim_cur = all.rlim_max;
  setrlimit(RLIMIT_CORE, &all);
  const int status = world_.run(host({log_option()}, child({"die=11"})));
  setrlimit(RLIMIT_CORE, &before);
  EXPECT_EQ(words(status), "signal 11");
  EXPECT_FALSE(WCOREDUMP(status));
  EXPECT_NE(log().find("main_ended 0 11 "), std::string::npos) << log();
}

TEST_F(RunExit, WhatCannotBeStarted) {
  write_file("plain", "data", 0644);
  write_file("no_interpreter", "#!/nonexistent/sh\n", 0755);
  for (const Argv& mode : {Argv{}, Argv{"--exec"}}) {
    EXPECT_EQ(ends(mode, {"/nonexistent/command"}), "exit 127");
    EXPECT_EQ(ends(mode, {"nonexistent-command"}), "exit 127");
    EXPECT_EQ(ends(mode, {""}), "exit 127");
    EXPECT_EQ(ends(mode, {file("no_interpreter")}), "exit 127");
    EXPECT_EQ(ends(mode, {file("plain")}), "exit 126");
    EXPECT_EQ(ends(mode, {dir_.path()}), "exit 126");
    EXPECT_EQ(ends(mode, {file("plain") + "/x"}), "exit 126");
    EXPECT_EQ(ends(mode, {std::string(300, 'x')}), "exit 126");
  }
}

TEST_F(RunExit, AScriptWithoutFirstLineIsTheShells) {
  write_file("script", "echo \"$0|$1|$2|$#\" > \"$3\"; exit 5\n", 0755);
  for (const Argv& mode : {Argv{}, Argv{"--exec"}}) {
    EXPECT_EQ(ends(mode, {file("script"), "a b", "", file("out")}), "exit 5");
    EXPECT_EQ(read_file(file("out")), file("script") + "|a b||3\n");
    std::filesystem::remove(file("out"));
  }
}

// As the shell would find it: a file that may not be executed does not end the search, but is
// remembered.
TEST_F(RunExit, TheSearchPath) {
  std::filesystem::create_directory(file("locked"));
  std::filesystem::create_directory(file("open"));
  write_file("locked/tool", "exit 1\n", 0644);
  const auto with_path = [&](const std::string& path, const Argv& command) {
    Argv argv = {"/usr/bin/env", path};
    const Argv rest = host({}, command);
    argv.insert(argv.end(), rest.begin(), rest.end());
    return words(world_.run(argv));
  };
  const std::string locked = file("locked");
  EXPECT_EQ(with_path("PATH=" + locked + ":/nonexistent:" + file("open"), {"tool"}), "exit 126");
  write_file("open/tool", "exit 7\n", 0755);
  EXPECT_EQ(with_path("PATH=" + locked + ":/nonexistent:" + file("open"), {"tool"}), "exit 7");
  EXPECT_EQ(
      with_path("PATH=" + locked + ":" + std::string(5000, 'y') + ":" + file("open"), {"tool"}),
      "exit 7");
  EXPECT_EQ(with_path("PATH=" + file("open") + "/tool:" + file("open"), {"tool"}), "exit 7");
  // An empty element is the current folder, at either end and in the middle; an empty PATH is one
  // of them.
  const std::string here = "cd " + file("open") + " && exec env \"$0\" \"$1\" tool";
  for (const std::string path :
       {"PATH=", "PATH=:/nonexistent", "PATH=/nonexistent:", "PATH=/a::/b"}) {
    EXPECT_EQ(words(world_.run({"/bin/sh", "-c", here, path, helper("run_host")})), "exit 7")
        << path;
  }
  // Without any, the system's own folders.
  Argv bare = {"/usr/bin/env", "-i"};
  const Argv rest = host({}, {"true"});
  bare.insert(bare.end(), rest.begin(), rest.end());
  EXPECT_EQ(words(world_.run(bare)), "exit 0");
}

// The command finds the descriptors that it would find without us, and those it shall inherit.
TEST_F(RunExit, Descriptors) {
  const Argv list = child({"fds=" + file("fds")});
  const auto listed = [&](const std::string& redirection, const Argv& command) {
    std::filesystem::remove(file("fds"));
    std::string line = "exec";
    for (const std::string& word : command) line += " '" + word + "'";
    EXPECT_EQ(words(world_.run(shell(line + redirection))), "exit 0");
    return read_file(file("fds"));
  };
  for (const std::string closed : {"", " <&-", " >&-", " 2>&-", " <&- >&- 2>&-"}) {
    const std::string plain = listed(closed, list);
    EXPECT_EQ(listed(closed, host({}, list)), plain) << closed;
    EXPECT_EQ(listed(closed, host({"--exec"}, list)), plain) << closed;
    const std::string inherited = listed(closed, host({"--inherit=900"}, list));
    EXPECT_EQ(inherited, plain.substr(0, plain.size() - 4) + "900 end\n") << closed;
    EXPECT_EQ(listed(closed, host({"--inherit=900", "--exec"}, list)), inherited) << closed;
  }
}

#ifndef ATMOST_PORTABLE  // there, orphans are init's
TEST_F(RunExit, NoZombieIsLeftWhileTheCommandRuns) {
  const pid_t supervisor =
      world_.start(host({}, shell(helper("run_child") + " daemon mark=" + file("orphan") +
                                  " exit=0 then mark=" + file("main") + " pause")));
  const pid_t orphan = marked("orphan", 1)[0];
  marked("main", 1);
  // The daemon has ended at once: an orphan that we adopted and have to reap.
  EXPECT_TRUE(eventually(Bound(20'000), [&] { return state_of(orphan) == '\0'; }));
  EXPECT_FALSE(world_.ended(supervisor));
}
#endif

TEST_F(RunExit, TheCommandOutlivesAKilledSupervisor) {
  if (monitored()) return;  // run_monitor_test.cc: there it does not
  const pid_t supervisor = world_.start(host({}, child({"mark=" + file("main"), "pause"})));
  const pid_t command = marked("main", 1)[0];
  ASSERT_TRUE(world_.signal_descendant(supervisor, SIGKILL, true));
  EXPECT_EQ(status_of(supervisor), "signal 9");
  EXPECT_TRUE(eventually(Bound(20'000), [&] { return parent_of(command) == getpid(); }));
  EXPECT_TRUE(alive(command));
}

}  // namespace
}  // namespace witness
