// The library's lines in the history, as a stranger reads them.
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "library_kit.h"

namespace {

class LibraryHistory : public Library {
 protected:
  // "admitted", "ended 0", ... of each line; any other line is "?".
  static std::vector<std::string> events(const std::string& file) {
    std::vector<std::string> all;
    std::ifstream log(file);
    for (std::string line; std::getline(log, line);) {
      std::string words = field(line, "event");
      if (line.rfind("{\"v\":1,", 0) != 0 || line.back() != '}') words = "?";
      for (const char* name : {"exit", "why", "signal", "stopped"}) {
        if (const std::string value = field(line, name); !value.empty()) words += " " + value;
      }
      all.push_back(words);
    }
    return all;
  }
  static std::string field(const std::string& line, const std::string& name) {
    const std::size_t at = line.find("\"" + name + "\":");
    if (at == std::string::npos) return "";
    std::size_t begin = at + name.size() + 3;
    if (line[begin] != '"') return line.substr(begin, line.find_first_of(",}", begin) - begin);
    ++begin;
    return line.substr(begin, line.find('"', begin) - begin);
  }
  std::vector<std::string> events() const { return events(path("history.jsonl")); }
  static std::string lines(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
  }

  using Words = std::vector<std::string>;
  const atmost::Atom atom_{"edit", "motd"};
};

TEST_F(LibraryHistory, HasAdmissionsRefusalsAndEnds) {
  {
    atmost::Held held = atom_.get_lock(limits_);
    EXPECT_FALSE(atom_.get_lock(limits_));
    held.release(true);
  }
  limits_.set("if_elapsed", 900);
  EXPECT_FALSE(atom_.get_lock(limits_));
  limits_.set("if_elapsed", 0);
  { const atmost::Held unsuccessful = atom_.get_lock(limits_); }
  EXPECT_EQ(events(), (Words{"admitted", "denied no_slot", "ended 0", "denied too_soon", "admitted",
                             "ended 1"}));
  const std::string all = lines(path("history.jsonl"));
  for (const char* part : {"\"operator\":\"edit\"", "\"operand\":\"motd\"",
                           "\"command\":\"library\"", "\"ran_s\":", "\"slot\":1"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part << " in " << all;
  }
  EXPECT_NE(all.find("\"pid\":" + std::to_string(getpid())), std::string::npos);
  EXPECT_EQ(all.find("cpu_s"), std::string::npos) << "not known of a part of a program";
}

// A request outlives the call that begins it, and the options that it was given.
TEST_F(LibraryHistory, RemembersTheNameOfItsLog) {
  std::string log = path("own.jsonl");
  atmost::Limits quiet = limits_;
  quiet.set("no_history");
  atmost::Held before = atmost::Named(path("a")).get_lock(quiet);
  ASSERT_TRUE(before);
  limits_.set("log", log);
  limits_.set("wait", 60);
  atmost_pending* request = nullptr;
  ASSERT_EQ(begin_by(path("a").c_str(), limits_, &request), ATMOST_ADMITTED);
  log.assign(log.size(), 'x');
  before.release(true);
  atmost_lock* lock = nullptr;
  ASSERT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED) << atmost_message();
  atmost_release(lock, 1);
  EXPECT_EQ(events(path("own.jsonl")), (Words{"admitted", "ended 0"}));
}

// The tokens pair them, for the programs that read it.
TEST_F(LibraryHistory, IsReadByTheCommandsThatReadTheOthers) {
  for (int i = 0; i < 3; ++i) atom_.get_lock(limits_).release(true);
  const std::string bin = getenv("ATMOST_BIN");
  const std::string stats =
      bin + "/atmost stats --json --dir " + directory_ + " | grep -q '\"success\":3,'";
  const std::string history =
      bin + "/atmost history --dir " + directory_ + " | grep -c 'exit 0' | grep -qx 3";
  EXPECT_EQ(system(stats.c_str()), 0);
  EXPECT_EQ(system(history.c_str()), 0);
}

TEST_F(LibraryHistory, TellsATakeoverThatKilledSomebody) {
  const pid_t holder = fork();
  if (holder == 0) {
    limits_.set("may_be_killed", "yes");
    atmost_lock* lock = nullptr;
    if (get_by(path("a").c_str(), limits_, &lock) != ATMOST_ADMITTED) _exit(1);
    for (;;) pause();
  }
  ASSERT_TRUE(eventually([&] { return held(path("a")); }));
  ASSERT_TRUE(eventually([&] { return events().size() == 1; }));
  std::thread reaper([&] { waitpid(holder, nullptr, 0); });
  limits_.set("expire_after", 0);
  atmost::Named(path("a")).get_lock(limits_).release(true);
  reaper.join();
  EXPECT_EQ(events(), (Words{"admitted", "expired", "signalled INT", "admitted", "ended 0"}));
  EXPECT_NE(lines(path("history.jsonl")).find("\"holder_pid\":" + std::to_string(holder)),
            std::string::npos);
}

TEST_F(LibraryHistory, TellsThatALockWasGivenToATaker) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t holder = fork();
  if (holder == 0) {
    static int to;
    to = told[1];
    limits_.on_lost([](void*, std::uint64_t) { (void)!write(to, "l", 1); }, nullptr);
    atmost_lock* lock = nullptr;
    if (get_by(path("a").c_str(), limits_, &lock) != ATMOST_ADMITTED) _exit(1);
    (void)!write(to, "h", 1);
    for (;;) pause();
  }
  char mark = 0;
  ASSERT_EQ(read(told[0], &mark, 1), 1);
  limits_.set("expire_after", 0);
  limits_.set("kill_grace", 30);
  const atmost::Held taken = atmost::Named(path("a")).get_lock(limits_);
  EXPECT_TRUE(taken) << taken.reason();
  ASSERT_EQ(read(told[0], &mark, 1), 1);  // by then it is written
  const std::string all = lines(path("history.jsonl"));
  EXPECT_NE(all.find("\"event\":\"lost\""), std::string::npos) << all;
  EXPECT_NE(all.find("\"exit\":1,\"stopped\":\"taken_over\""), std::string::npos) << all;
  kill(holder, SIGKILL);
  ASSERT_EQ(waitpid(holder, nullptr, 0), holder);
  close(told[0]);
  close(told[1]);
}

TEST_F(LibraryHistory, IsLeftOutOrPutElsewhereWhenAsked) {
  const atmost::Limits recorded = limits_;
  limits_.set("no_history");
  atom_.get_lock(limits_).release(true);
  EXPECT_FALSE(std::filesystem::exists(path("history.jsonl")));
  limits_ = recorded;
  const std::string other = path("other.jsonl");
  limits_.set("log", other);
  atom_.get_lock(limits_).release(true);
  EXPECT_EQ(events(other), (Words{"admitted", "ended 0"}));
  EXPECT_FALSE(std::filesystem::exists(path("history.jsonl")));
}

TEST_F(LibraryHistory, NeverStopsAProgramOrSpeaks) {
  const std::string nowhere = directory_ + "/none/of/these/log";
  limits_.set("log", nowhere);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(atom_.get_lock(limits_));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// A program that becomes a daemon closes what it does not know; the next file it opens gets that
// number.
TEST_F(LibraryHistory, IsNeverWrittenToAFileOfTheProgram) {
  atom_.get_lock(limits_).release(true);
  const std::string document = path("document");
  std::vector<int> fds;
  for (int fd = 3; fd < 64; ++fd) {
    std::error_code error;
    const auto target = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd), error);
    if (error || target != path("history.jsonl")) continue;
    const int mine = open(document.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    ASSERT_EQ(dup2(mine, fd), fd);
    fds.insert(fds.end(), {fd, mine});
  }
  ASSERT_FALSE(fds.empty()) << "the log is no longer kept open: this test tests nothing";
  atom_.get_lock(limits_).release(true);
  EXPECT_EQ(lines(document), "");
  EXPECT_EQ(events(), (Words{"admitted", "ended 0", "admitted", "ended 0"}));
  for (const int fd : fds) EXPECT_EQ(close(fd), 0) << "it is still the program's";
}

TEST_F(LibraryHistory, OfManyLocksTakesOneDescriptor) {
  std::vector<atmost::Held> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(atmost::Atom("many", std::to_string(i)).get_lock(limits_));
    ASSERT_TRUE(all.back()) << all.back().reason();
  }
  int logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    logs += std::filesystem::read_symlink(entry.path(), error) == path("history.jsonl");
  }
  EXPECT_EQ(logs, 1);
}

TEST_F(LibraryHistory, OfThreadsAndForkedChildrenHasEveryLine) {
  std::atomic<bool> stop{false};
  std::atomic<int> taken{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const atmost::Atom own("thread", std::to_string(i));
      while (!stop) {
        own.get_lock(limits_).release(true);
        ++taken;
      }
    });
  }
  int wrong = 0;
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      atmost::Held held = atmost::Atom("child", std::to_string(round)).get_lock(limits_);
      const bool right = static_cast<bool>(held);
      held.release(true);
      _exit(right ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    wrong += status != 0;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  const Words all = events();
  EXPECT_EQ(std::count(all.begin(), all.end(), "admitted"), taken + 20);
  EXPECT_EQ(std::count(all.begin(), all.end(), "ended 0"), taken + 20);
  EXPECT_EQ(all.size(), static_cast<std::size_t>(2 * (taken + 20)));
}

// The parent itself logs its end.
TEST_F(LibraryHistory, OfACopyInAForkedChildSaysNothing) {
  atmost_lock* lock = nullptr;
  ASSERT_EQ(get_by(path("a").c_str(), limits_, &lock), ATMOST_ADMITTED);
  const pid_t child = fork();
  if (child == 0) {
    atmost_release(lock, 1);
    _exit(0);
  }
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_EQ(events(), (Words{"admitted"}));
  atmost_release(lock, 1);
  EXPECT_EQ(events(), (Words{"admitted", "ended 0"}));
}

// Paths are those of the moment of the call.
TEST_F(LibraryHistory, StaysWhereItWasWhenTheProgramChangesItsDirectory) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory_);
  atmost_lock* lock = nullptr;
  ASSERT_EQ(get_by("./a", limits_, &lock), ATMOST_ADMITTED) << atmost_message();
  std::filesystem::create_directory(path("elsewhere"));
  std::filesystem::current_path(path("elsewhere"));
  atmost_release(lock, 1);
  std::filesystem::current_path(before);
  EXPECT_FALSE(std::filesystem::exists(path("elsewhere/history.jsonl")));
  EXPECT_EQ(events(), (Words{"admitted", "ended 0"}));
  const std::string all = lines(path("history.jsonl"));
  const std::string where = "\"path\":\"" + path("a") + "\"";
  EXPECT_NE(all.find(where), all.rfind(where)) << "both have it: " << all;
}

}  // namespace
