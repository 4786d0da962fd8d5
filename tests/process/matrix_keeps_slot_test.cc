// "Who keeps a slot", cell by cell: every way to keep one, times every way for it to end. A
// stranger's F_GETLK is the judge. The tables below are those of the man page.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <ostream>
#include <string>

#include "witness_world.h"

namespace witness {
namespace {

enum Slot { is_free, is_held };

struct Way {
  const char* name;
  Argv options;
  bool supervised;
};

const Way kMain{"main", {}, true};
const Way kMainClose{"main --close", {"--close"}, true};
const Way kTree{"tree", {"--until=tree"}, true};
const Way kTreeClose{"tree --close", {"--until=tree", "--close"}, true};
const Way kExec{"--exec", {"--exec"}, false};
const Way kExecClose{"--exec --until=close", {"--exec", "--until=close"}, false};

// The command's actions before the end, and the process that then ends.
struct Story {
  const char* name;
  Argv acts;           // matrix_actor's words
  bool command_exits;  // by itself
  bool kill_supervisor;
  bool kill_command;
};

const Story kExits{"the command exits", {}, true, false, false};
const Story kKilled{"the command is killed", {}, false, false, true};
const Story kCloses{
    "the command closes every descriptor and goes on", {"close"}, false, false, false};
const Story kDaemon{"the command exits, a daemon of it stays", {"daemon"}, true, false, false};
const Story kClosedDaemon{
    "the command exits, a daemon without descriptors stays", {"close-daemon"}, true, false, false};
const Story kKilledDaemon{
    "the command is killed, a daemon of it stays", {"daemon"}, false, false, true};
const Story kOrphan{"the supervisor is killed, the command goes on", {}, false, true, false};
const Story kClosedOrphan{
    "the supervisor is killed, the command closed every descriptor", {"close"}, false, true, false};
const Story kBoth{"both are killed", {}, false, true, true};
const Story kBothDaemon{
    "both are killed, a daemon of the command stays", {"daemon"}, false, true, true};
const Story kBothClosedDaemon{
    "both are killed, a daemon without descriptors stays", {"close-daemon"}, false, true, true};

struct Cell {
  const Way& way;
  const Story& story;
  Slot slot;
};

const Cell kCells[] = {
    {kMain, kExits, is_free},
    {kMain, kKilled, is_free},
    {kMain, kCloses, is_held},
    {kMain, kDaemon, is_free},
    {kMain, kClosedDaemon, is_free},
    {kMain, kKilledDaemon, is_free},
    {kMain, kOrphan, is_held},
    {kMain, kClosedOrphan, is_free},  // the one hole
    {kMain, kBoth, is_free},
    {kMain, kBothDaemon, is_held},
    {kMain, kBothClosedDaemon, is_free},

    {kMainClose, kExits, is_free},
    {kMainClose, kKilled, is_free},
    {kMainClose, kCloses, is_held},
    {kMainClose, kDaemon, is_free},
    {kMainClose, kClosedDaemon, is_free},
    {kMainClose, kKilledDaemon, is_free},
    {kMainClose, kOrphan, is_free},
    {kMainClose, kClosedOrphan, is_free},
    {kMainClose, kBoth, is_free},
    {kMainClose, kBothDaemon, is_free},
    {kMainClose, kBothClosedDaemon, is_free},

    {kTree, kExits, is_free},
    {kTree, kKilled, is_free},
    {kTree, kCloses, is_held},
    {kTree, kDaemon, is_held},
    {kTree, kClosedDaemon, is_held},
    {kTree, kKilledDaemon, is_held},
    {kTree, kOrphan, is_held},
    {kTree, kClosedOrphan, is_free},
    {kTree, kBoth, is_free},
    {kTree, kBothDaemon, is_held},
    {kTree, kBothClosedDaemon, is_free},

    {kTreeClose, kExits, is_free},
    {kTreeClose, kKilled, is_free},
    {kTreeClose, kCloses, is_held},
    {kTreeClose, kDaemon, is_held},
    {kTreeClose, kClosedDaemon, is_held},
    {kTreeClose, kKilledDaemon, is_held},
    {kTreeClose, kOrphan, is_free},
    {kTreeClose, kClosedOrphan, is_free},
    {kTreeClose, kBoth, is_free},
    {kTreeClose, kBothDaemon, is_free},
    {kTreeClose, kBothClosedDaemon, is_free},

    // Without a supervisor there are the command's own ends only.
    {kExec, kExits, is_free},
    {kExec, kKilled, is_free},
    {kExec, kCloses, is_free},
    {kExec, kDaemon, is_held},
    {kExec, kClosedDaemon, is_free},
    {kExec, kKilledDaemon, is_held},

    {kExecClose, kExits, is_free},
    {kExecClose, kKilled, is_free},
    {kExecClose, kCloses, is_free},
    {kExecClose, kDaemon, is_free},
    {kExecClose, kClosedDaemon, is_free},
    {kExecClose, kKilledDaemon, is_free},
};

void PrintTo(const Cell& cell, std::ostream* out) {
  *out << cell.way.name << ": " << cell.story.name;
}

// Without OFD locks and /proc nobody inherits a slot and no tree is watched: the process that took
// it keeps it, as long as it lives and does not close the file.
Slot expected(const Cell& cell) {
#ifdef ATMOST_PORTABLE
  return cell.way.supervised && &cell.story == &kCloses ? is_held : is_free;
#else
  return cell.slot;
#endif
}

class KeepsSlot : public ::testing::TestWithParam<Cell> {
 protected:
  void SetUp() override {
    for (const char* name : {"gate", "end"})
      ASSERT_EQ(mkfifo(directory_.file(name).c_str(), 0600), 0);
  }

  void start(const Cell& cell) {
    Argv argv{under_test("atmost"), "run"};
    argv.insert(argv.end(), cell.way.options.begin(), cell.way.options.end());
    argv.insert(argv.end(),
                {directory_.file("lock"), "--", helper("matrix_actor"), directory_.path()});
    argv.insert(argv.end(), cell.story.acts.begin(), cell.story.acts.end());
    first_ = world_.start(argv);
    command_ = await_pid("pid");
    ASSERT_EQ(cell.way.supervised, command_ != first_);
  }

  // The pid in a file that the actor makes.
  pid_t await_pid(const std::string& name) {
    std::string text;
    EXPECT_TRUE(
        eventually(kBound, [&] { return !(text = read_file(directory_.file(name))).empty(); }))
        << name << " was not made";
    return std::atoi(text.c_str());
  }

  void open_gate(const std::string& name) {
    int fd = -1;
    ASSERT_TRUE(eventually(kBound, [&] {
      fd = open(directory_.file(name).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
      return fd >= 0;
    }));
    close(fd);
  }

  void tell(const Story& story) {
    open_gate("gate");
    await_pid("ready");
    if (!story.acts.empty() && story.acts[0] != "close") daemon_ = await_pid("daemon");
    if (story.kill_supervisor) {
      ASSERT_TRUE(world_.signal_descendant(first_, SIGKILL, true));
    }
    if (story.kill_command) {
      ASSERT_TRUE(world_.signal_descendant(command_, SIGKILL, true));
    }
    if (story.command_exits) open_gate("end");
    if (story.command_exits || story.kill_command) {
      ASSERT_TRUE(eventually(kBound, [&] { return world_.reap(), !alive(command_); }));
    }
  }

  static constexpr Bound kBound{10'000};
  TempDir directory_;
  World world_;
  Probe probe_{directory_.file("lock")};
  pid_t first_ = -1;    // what we started
  pid_t command_ = -1;  // the actor
  pid_t daemon_ = -1;
};

TEST_P(KeepsSlot, Cell) {
  const Cell& cell = GetParam();
  SCOPED_TRACE(std::string(cell.way.name) + ": " + cell.story.name);
  ASSERT_NO_FATAL_FAILURE(start(cell));
  ASSERT_TRUE(probe_.slot_held(1));
  ASSERT_NO_FATAL_FAILURE(tell(cell.story));
  if (expected(cell) == is_free) {
    EXPECT_TRUE(eventually(Bound(2000), [&] { return !probe_.slot_held(1); })) << "still held";
  } else {
    EXPECT_TRUE(stays(Bound(150), [&] { return probe_.slot_held(1); })) << "given up";
  }
  if (daemon_ > 0) {
    EXPECT_TRUE(alive(daemon_)) << "the daemon was to outlive the rest";
  }
  // The slot is free when all that kept it have ended.
  for (pid_t pid : {command_, daemon_}) {
    if (pid > 0) world_.signal_descendant(pid, SIGKILL, true);
  }
  EXPECT_TRUE(eventually(Bound(2000), [&] { return world_.reap(), !probe_.slot_held(1); }))
      << "held by nobody";
  EXPECT_TRUE(world_.wait(first_, kBound).has_value());
}

std::string cell_name(const ::testing::TestParamInfo<Cell>& info) {
  std::string name = std::string(info.param.way.name) + "_" + info.param.story.name;
  std::string clean;
  for (char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      clean += c;
    } else if (!clean.empty() && clean.back() != '_') {
      clean += '_';
    }
  }
  return clean;
}

INSTANTIATE_TEST_SUITE_P(WhoKeepsASlot, KeepsSlot, ::testing::ValuesIn(kCells), cell_name);

}  // namespace
}  // namespace witness
