// Every system call of an append fails once, in every way that matters: the answer is an error or a
// whole line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "kit.h"
#include "os/calls.h"

namespace atmost::history {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::Ge;
using ::testing::HasSubstr;

int countdown = 0;  // the call that fails; 1 is the next one
int failing = 0;
bool fails() { return --countdown == 0; }

// Calls the real one unless it is this call's turn to fail.
template <auto Member, class R, class... A>
R maybe(A... arguments) {
  if (fails()) {
    errno = failing;
    return static_cast<R>(-1);
  }
  return (os::kRealCalls.*Member)(arguments...);
}

template <auto Member, class R, class... A>
void break_one(R (*os::Calls::*)(A...)) {
  os::calls.*Member = maybe<Member, R, A...>;
}

class Faults : public ::testing::Test {
 protected:
  void SetUp() override {
    break_one<&os::Calls::openat>(&os::Calls::openat);
    break_one<&os::Calls::fstat>(&os::Calls::fstat);
    break_one<&os::Calls::stat>(&os::Calls::stat);
    break_one<&os::Calls::lstat>(&os::Calls::lstat);
    break_one<&os::Calls::fchmod>(&os::Calls::fchmod);
    break_one<&os::Calls::pread>(&os::Calls::pread);
    break_one<&os::Calls::write>(&os::Calls::write);
    break_one<&os::Calls::lock>(&os::Calls::lock);
    break_one<&os::Calls::rename>(&os::Calls::rename);
    break_one<&os::Calls::futimens>(&os::Calls::futimens);
  }
  void TearDown() override { os::calls = os::kRealCalls; }
  Folder folder_;
};

TEST_F(Faults, LeaveWholeLinesOrNone) {
  for (int error : {EIO, ENOSPC, EACCES, EMFILE, EINTR, EROFS}) {
    for (int nth = 1; nth <= 40; ++nth) {
      const std::string path =
          folder_.file("f" + std::to_string(error) + "-" + std::to_string(nth));
      const LogPlace place = place_at(path, 600);
      Log log(place);
      countdown = nth;
      failing = error;
      std::uint64_t written = 0;
      for (std::uint64_t token = 1; token <= 4; ++token) {
        const Status status = log.append(ended(token));
        if (status.ok()) ++written;
        if (!status.ok()) {
          EXPECT_THAT(std::string(status.error().message), HasSubstr(path));
        }
      }
      countdown = 0;
      std::vector<std::int64_t> kept = tokens(path + ".1");
      for (std::int64_t token : tokens(path)) kept.push_back(token);
      EXPECT_THAT(kept, Each(Ge(1))) << error << " at call " << nth;
      EXPECT_THAT(written, AnyOf(3u, 4u)) << error << " at call " << nth;
    }
  }
}

// A disk that has room for a part of the line and then for nothing, and later for all again.
int room_left = 0;
ssize_t write_as_room_is(int fd, const void* from, std::size_t size) {
  if (room_left == 0) {
    errno = ENOSPC;
    return -1;
  }
  const std::size_t part =
      size < static_cast<std::size_t>(room_left) ? size : static_cast<std::size_t>(room_left);
  room_left -= static_cast<int>(part);
  return os::kRealCalls.write(fd, from, part);
}

TEST_F(Faults, AFullDiskTearsALineAndTheNextOneIsWhole) {
  os::calls = os::kRealCalls;
  os::calls.write = write_as_room_is;
  for (int room = 1; room < 40; ++room) {
    const std::string path = folder_.file("d" + std::to_string(room));
    const LogPlace place = place_at(path);
    Log log(place);
    room_left = room;
    const Status full = log.append(ended(1));
    ASSERT_FALSE(full.ok());
    EXPECT_THAT(std::string(full.error().message), HasSubstr("No space left on device"));
    room_left = 1 << 20;
    ASSERT_TRUE(log.append(ended(2)).ok());
    EXPECT_EQ(contents(path), line_of(ended(1)).substr(0, static_cast<std::size_t>(room)) + "\n" +
                                  line_of(ended(2)));
  }
}

TEST_F(Faults, ALineThatWasCutShortGetsItsEndAtOnce) {
  os::calls = os::kRealCalls;
  static bool cut;
  cut = true;
  os::calls.write = [](int fd, const void* from, std::size_t size) {
    const std::size_t part = cut ? 10 : size;
    cut = false;
    return os::kRealCalls.write(fd, from, part);
  };
  const LogPlace place = place_at(folder_.file());
  Log log(place);
  const Status status = log.append(ended(1));
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.error().message), HasSubstr("in part"));
  EXPECT_EQ(contents(folder_.file()), line_of(ended(1)).substr(0, 10) + "\n");
}

// Between our look and our write the file is replaced twice: the line is written again where it
// will be found.
TEST_F(Faults, ALineInAFileThatIsGoneIsWrittenAgain) {
  os::calls = os::kRealCalls;
  static std::string path;
  static int times;
  path = folder_.file();
  times = 2;
  os::calls.write = [](int fd, const void* from, std::size_t size) {
    if (times > 0) {
      --times;
      std::filesystem::remove(path);
    }
    return os::kRealCalls.write(fd, from, size);
  };
  const LogPlace place = place_at(path);
  Log log(place);
  ASSERT_TRUE(log.append(ended(1)).ok());
  EXPECT_EQ(contents(path), line_of(ended(1)));
  times = 1000;
  const Status status = log.append(ended(2));
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.error().message), HasSubstr("again and again"));
}

}  // namespace
}  // namespace atmost::history
