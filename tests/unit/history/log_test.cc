#include "history/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "kit.h"
#include "os/clock.h"

namespace atmost::history {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string why_not(const Status& status) {
  return status.ok() ? std::string() : std::string(status.error().message.view());
}

TEST(Log, AppendsLinesToAPrivateFile) {
  Folder folder;
  const LogPlace place = place_at(folder.file());
  {
    Log log(place);
    ASSERT_EQ(why_not(log.append(ended(1))), "");
    ASSERT_EQ(why_not(log.append(ended(2))), "");
  }
  Log another(place);
  ASSERT_EQ(why_not(another.append(ended(3))), "");
  EXPECT_EQ(contents(folder.file()), line_of(ended(1)) + line_of(ended(2)) + line_of(ended(3)));
  struct stat status;
  ASSERT_EQ(stat(folder.file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600u);
}

// A line of the log is bounded by its writer, however long its texts are.
TEST(Log, AppendsAnyTextsOfAnUndeliveredEvent) {
  Folder folder;
  const LogPlace place = place_at(folder.file());
  const std::string lock(100, '\x01');
  const std::string path = "/" + std::string(200, '\x01');
  const std::string why(2000, '\x01');
  Event event = ended(1);
  event.text("lock", lock).text("path", path).text("to", "notify").text("why", why);
  Log log(place);
  ASSERT_EQ(why_not(log.append(event)), "");
  ASSERT_EQ(lines(folder.file()).size(), 1u);
  Record record;
  const std::string line = lines(folder.file())[0];
  ASSERT_EQ(read_line(line, record), Reading::whole);
  EXPECT_EQ(record.text("lock").size(), 6 * lock.size());
  EXPECT_EQ(record.text("path").size(), 1 + 6 * (path.size() - 1));
  EXPECT_TRUE(record.flag("cut"));
  EXPECT_GT(record.text("why").size(), 4000u);
}

TEST(Log, CutsNoTextsThatUsersGive) {
  Folder folder;
  const LogPlace place = place_at(folder.file());
  const std::string label(255, '\x01');
  const std::string path = "/" + std::string(4094, 'p');
  Event event = ended(1);
  event.text("id", label).text("lock", label).text("path", path);
  Log log(place);
  ASSERT_EQ(why_not(log.append(event)), "");
  ASSERT_EQ(why_not(log.append(event)), "");
  EXPECT_EQ(contents(folder.file()), line_of(event) + line_of(event));
  Record record;
  const std::string line = line_of(event);
  ASSERT_EQ(read_line({line.data(), line.size() - 1}, record), Reading::whole);
  EXPECT_FALSE(record.flag("cut"));
  EXPECT_EQ(record.text("id").size(), 6 * label.size());
}

TEST(Log, TakesTheModeItIsGiven) {
  Folder folder;
  LogPlace place = place_at(folder.file());
  place.mode = 0666;
  Log log(place);
  ASSERT_EQ(why_not(log.append(ended(1))), "");
  struct stat status;
  ASSERT_EQ(stat(folder.file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0666u);
}

TEST(Log, GivesALineOfItsOwnToWhatFollowsATornOne) {
  Folder folder;
  const LogPlace place = place_at(folder.file());
  std::ofstream(folder.file()) << "{\"v\":1,\"ev";
  Log log(place);
  ASSERT_EQ(why_not(log.append(ended(1))), "");
  EXPECT_EQ(contents(folder.file()), "{\"v\":1,\"ev\n" + line_of(ended(1)));
  std::ofstream(folder.file(), std::ios::app) << "torn again";
  ASSERT_EQ(why_not(log.append(ended(2))), "");
  EXPECT_EQ(contents(folder.file()),
            "{\"v\":1,\"ev\n" + line_of(ended(1)) + "torn again\n" + line_of(ended(2)));
}

TEST(Log, KeepsTwoGenerationsUnderItsSize) {
  Folder folder;
  const std::int64_t size = static_cast<std::int64_t>(line_of(ended(1)).size());
  const LogPlace place = place_at(folder.file(), 3 * size);
  Log log(place);
  for (std::uint64_t token = 1; token <= 7; ++token)
    ASSERT_EQ(why_not(log.append(ended(token))), "");
  EXPECT_THAT(tokens(folder.file("history.jsonl.1")), ElementsAre(4, 5, 6));
  EXPECT_THAT(tokens(folder.file()), ElementsAre(7));
}

TEST(Log, FollowsThePathWhenOthersRotate) {
  Folder folder;
  const LogPlace place = place_at(folder.file());
  Log log(place);
  ASSERT_EQ(why_not(log.append(ended(1))), "");
  fs::rename(folder.file(), folder.file("history.jsonl-20261121"));
  ASSERT_EQ(why_not(log.append(ended(2))), "");
  fs::remove(folder.file());
  ASSERT_EQ(why_not(log.append(ended(3))), "");
  EXPECT_THAT(tokens(folder.file("history.jsonl-20261121")), ElementsAre(1));
  EXPECT_THAT(tokens(folder.file()), ElementsAre(3));
}

// As a library writes: the path is examined now and then, the file before each line.
class LogAmongOthers : public ::testing::Test {
 protected:
  LogAmongOthers() : place_(place_at(folder_.file())) { place_.among_others = true; }

  Folder folder_;
  LogPlace place_;
};

TEST_F(LogAmongOthers, FollowsThePathSoonAndLosesNoLine) {
  Log log(place_);
  ASSERT_EQ(why_not(log.append(ended(1))), "");
  ASSERT_EQ(why_not(log.append(ended(2))), "");
  const std::string old = folder_.file("history.jsonl-20261121");
  fs::rename(folder_.file(), old);
  const std::int64_t begin = os::boot_ns();
  std::uint64_t written = 2;
  while (!fs::exists(folder_.file())) {
    ASSERT_LT(os::boot_ns() - begin, 100 * kLookNs);
    ASSERT_EQ(why_not(log.append(ended(++written))), "");
  }
  EXPECT_EQ(tokens(old).size() + tokens(folder_.file()).size(), written);
}

TEST_F(LogAmongOthers, WritesNothingIntoARemovedFile) {
  Log log(place_);
  for (std::uint64_t token = 1; token <= 50; ++token) {
    ASSERT_EQ(why_not(log.append(ended(token))), "");
    ASSERT_THAT(tokens(folder_.file()), ElementsAre(token));
    fs::remove(folder_.file());
  }
}

TEST_F(LogAmongOthers, GivesALineOfItsOwnToWhatFollowsAnothersTornOne) {
  Log log(place_);
  std::string all;
  for (std::uint64_t token = 1; token <= 50; ++token) {
    ASSERT_EQ(why_not(log.append(ended(token))), "");
    std::ofstream(folder_.file(), std::ios::app) << "torn";
    all += line_of(ended(token)) + "torn\n";
  }
  ASSERT_EQ(why_not(log.append(ended(51))), "");
  EXPECT_EQ(contents(folder_.file()), all + line_of(ended(51)));
}

TEST(Log, GoesOnInATruncatedFile) {
  Folder folder;
  const LogPlace place = place_at(folder.file());
  Log log(place);
  ASSERT_EQ(why_not(log.append(ended(1))), "");
  ASSERT_EQ(truncate(folder.file().c_str(), 0), 0);
  ASSERT_EQ(why_not(log.append(ended(2))), "");
  EXPECT_THAT(tokens(folder.file()), ElementsAre(2));
}

TEST(Log, WritesIntoNothingButAFileOfItsOwn) {
  Folder folder;
  const auto refused = [&](const std::string& name) {
    const LogPlace place = place_at(folder.file(name));
    return why_not(Log(place).append(ended(1)));
  };
  std::ofstream(folder.file("victim")) << "precious\n";
  fs::create_symlink(folder.file("victim"), folder.file("symlink"));
  fs::create_hard_link(folder.file("victim"), folder.file("hardlink"));
  fs::create_directory(folder.file("directory"));
  ASSERT_EQ(mkfifo(folder.file("fifo").c_str(), 0600), 0);
  EXPECT_THAT(refused("symlink"), HasSubstr("symbolic link"));
  EXPECT_THAT(refused("hardlink"), HasSubstr("hard links"));
  EXPECT_THAT(refused("directory"), HasSubstr("is a directory"));
  EXPECT_THAT(refused("fifo"), HasSubstr("not a regular file"));
  EXPECT_THAT(refused("missing/history.jsonl"), HasSubstr("No such file"));
  EXPECT_EQ(contents(folder.file("victim")), "precious\n");
  const LogPlace null = place_at("/dev/null");
  EXPECT_THAT(why_not(Log(null).append(ended(1))), HasSubstr("not a regular file"));
}

TEST(Log, WritesWhereNobodyElseCanPutALinkInPlace) {
  Folder folder;
  fs::create_directory(folder.file("open"));
  ASSERT_EQ(chmod(folder.file("open").c_str(), 0777), 0);
  const LogPlace place = place_at(folder.file("open/history.jsonl"));
  const std::string why = why_not(Log(place).append(ended(1)));
  EXPECT_THAT(why, HasSubstr("everybody may rename files in " + folder.file("open")));
  ASSERT_EQ(chmod(folder.file("open").c_str(), 01777), 0);
  EXPECT_EQ(why_not(Log(place).append(ended(1))), "");
}

TEST(Log, KeepsItsDescriptorFromCommands) {
  Folder folder;
  const LogPlace place = place_at(folder.file());
  Log log(place);
  ASSERT_EQ(why_not(log.append(ended(1))), "");
  for (const auto& one : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (fs::read_symlink(one.path(), gone) != folder.file()) continue;
    const int fd = std::stoi(one.path().filename());
    EXPECT_GT(fd, 2);
    EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  }
}

}  // namespace
}  // namespace atmost::history
