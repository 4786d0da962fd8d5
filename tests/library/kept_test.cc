// Between two takes the descriptors of a lock stay open. Changes meanwhile, and processes that may
// have them; the witness is a lock query by a stranger, or a process that was killed.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "library_kit.h"

namespace {

class Kept : public Library {
 protected:
  void cycle(const std::string& name) {
    const atmost::Held lock = atmost::Named(name).get_lock(limits_);
    ASSERT_TRUE(lock) << lock.reason();
    EXPECT_TRUE(held(name));
  }
};

TEST_F(Kept, OpenButNotLocked) {
  cycle(path("a"));
  const std::vector<int> first = descriptors_of(path("a"));
  EXPECT_EQ(first.size(), 2u);
  EXPECT_FALSE(held(path("a")));
  for (const int fd : first) EXPECT_EQ(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
  cycle(path("a"));
  EXPECT_EQ(descriptors_of(path("a")), first);
  cycle(path("b"));
  EXPECT_TRUE(descriptors_of(path("a")).empty());
}

// The proof of its holder is a process-owned lock, which ends with the close.
TEST_F(Kept, NotOpenWhenOthersMayWriteIt) {
  limits_.set("mode", 0666);
  cycle(path("a"));
  EXPECT_TRUE(descriptors_of(path("a")).empty());
}

// A child from before the take must not keep what its parent locks later.
TEST_F(Kept, FromNoChildThatWasForkedBefore) {
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    close(go[1]);
    cycle(path("a"));
    if (fork() == 0) {
      char byte;
      (void)!read(go[0], &byte, 1);
      _exit(0);
    }
    const atmost::Held lock = atmost::Named(path("a")).get_lock(limits_);
    for (;;) pause();
  }
  close(go[0]);
  ASSERT_TRUE(eventually([&] { return held(path("a")); }));
  kill(parent, SIGKILL);
  ASSERT_EQ(waitpid(parent, nullptr, 0), parent);
  EXPECT_FALSE(held(path("a")));
  close(go[1]);
}

TEST_F(Kept, NotForAFileThatWasRemovedOrReplaced) {
  cycle(path("a"));
  std::filesystem::remove(path("a"));
  cycle(path("a"));
  std::filesystem::rename(path("a"), path("old"));
  close(open(path("a").c_str(), O_CREAT | O_RDWR, 0600));
  cycle(path("a"));
}

TEST_F(Kept, NotForTheSameNameInAnotherDirectory) {
  const std::filesystem::path before = std::filesystem::current_path();
  for (const char* name : {"one", "two"}) {
    std::filesystem::create_directory(path(name));
    std::filesystem::current_path(path(name));
    const atmost::Held lock = atmost::Named("./a").get_lock(limits_);
    EXPECT_TRUE(lock) << lock.reason();
    EXPECT_TRUE(held(path(name) + "/a"));
  }
  std::filesystem::current_path(before);
}

// A daemon closes everything, and opens its own: those are not ours to write to, nor to close.
TEST_F(Kept, NotWhenTheProgramClosedThem) {
  cycle(path("a"));
  const std::vector<int> ours = descriptors_of(path("a"));
  const std::string document = path("document");
  const int fd = open(document.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  for (const int each : ours) ASSERT_EQ(dup3(fd, each, O_CLOEXEC), each);
  cycle(path("a"));
  EXPECT_EQ(std::filesystem::file_size(document), 0u);
  for (const int each : ours) {
    EXPECT_NE(fcntl(each, F_GETFD), -1);
    close(each);
  }
  close(fd);
}

// The file under their numbers may be another lock, taken for the first time earlier or later
// than this one, or have a large offset. Nothing stays locked there.
TEST_F(Kept, NotWhenTheirNumbersAreThoseOfOthers) {
  const auto is_locked = [](const std::string& file) {
    const int fd = open(file.c_str(), O_RDWR | O_CLOEXEC);
    struct flock range = {};
    range.l_type = F_WRLCK;
    EXPECT_EQ(fcntl(fd, F_OFD_GETLK, &range), 0);
    close(fd);
    return range.l_type != F_UNLCK;
  };
  const auto cycle_with = [&](const char* name, int other) {
    SCOPED_TRACE(name);
    const std::vector<int> ours = descriptors_of(path(name));
    ASSERT_EQ(ours.size(), 2u);
    for (const int each : ours) ASSERT_EQ(dup3(other, each, O_CLOEXEC), each);
    cycle(path(name));
    for (const int each : ours) close(each);
  };
  const auto get = [&](const char* name) { return atmost::Named(path(name)).get_lock(limits_); };
  {
    const atmost::Held earlier = get("earlier");
    const atmost::Held later = get("later");
  }
  const auto mark_of = [](const std::string& file) {
    return lseek(descriptors_of(file).at(0), 0, SEEK_CUR);
  };
  EXPECT_LT(mark_of(path("later")), mark_of(path("earlier")));
  cycle_with("later", descriptors_of(path("earlier")).at(0));
  EXPECT_FALSE(is_locked(path("earlier")));
  cycle(path("earlier"));
  {
    const atmost::Held earlier = get("earlier");
    cycle(path("later"));
  }
  cycle_with("earlier", descriptors_of(path("later")).at(0));
  EXPECT_FALSE(is_locked(path("later")));
  cycle(path("far"));
  const int document = open(path("document").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  constexpr off_t kFar = off_t{1} << 41;
  ASSERT_EQ(lseek(document, kFar, SEEK_SET), kFar);
  cycle_with("far", document);
  EXPECT_FALSE(is_locked(path("document")));
  close(document);
}

// The same for one of the two, which is found out when that one is needed: a stranger's guard makes
// the library take its own on the private description.
TEST_F(Kept, NotWhenTheProgramClosedOneOfThem) {
  for (const int which : {0, 1}) {
    SCOPED_TRACE(which);
    cycle(path("a"));
    const std::vector<int> ours = descriptors_of(path("a"));
    ASSERT_EQ(ours.size(), 2u);
    const int number = ours[static_cast<std::size_t>(which)];
    const std::string document = path("document");
    const int fd = open(document.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    ASSERT_EQ(dup3(fd, number, O_CLOEXEC), number);
    const int stranger = open(path("a").c_str(), O_RDWR | O_CLOEXEC);
    struct flock range = {};
    range.l_type = F_WRLCK;
    range.l_start = 10;
    range.l_len = 1;
    ASSERT_EQ(fcntl(stranger, F_OFD_SETLK, &range), 0);
    EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_BUSY);
    close(stranger);
    cycle(path("a"));
    cycle(path("b"));
    EXPECT_EQ(std::filesystem::file_size(document), 0u);
    EXPECT_NE(fcntl(number, F_GETFD), -1);
    close(number);
    close(fd);
  }
}

TEST_F(Kept, NotClosedWhenTheProgramHasTheirNumbers) {
  cycle(path("a"));
  const std::vector<int> ours = descriptors_of(path("a"));
  const int fd = open(path("document").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  struct stat document;
  ASSERT_EQ(fstat(fd, &document), 0);
  for (const int each : ours) ASSERT_EQ(dup3(fd, each, O_CLOEXEC), each);
  cycle(path("b"));
  for (const int each : ours) {
    struct stat status;
    ASSERT_EQ(fstat(each, &status), 0);
    EXPECT_EQ(status.st_ino, document.st_ino);
    close(each);
  }
  close(fd);
}

// It is not lost either when a process reads or writes through it.
TEST_F(Kept, WhenItsOffsetWasMoved) {
  cycle(path("a"));
  const std::vector<int> ours = descriptors_of(path("a"));
  for (const int each : ours) ASSERT_EQ(lseek(each, 5, SEEK_SET), 5);
  cycle(path("a"));
  EXPECT_EQ(descriptors_of(path("a")), ours);
}

TEST_F(Kept, NotWhenItsModeWasWidened) {
  cycle(path("a"));
  ASSERT_EQ(chmod(path("a").c_str(), 0666), 0);
  cycle(path("a"));
  EXPECT_TRUE(descriptors_of(path("a")).empty());
}

TEST_F(Kept, NotForAFileThatBelongsToOthersByNow) {
  cycle(path("a"));
  ASSERT_EQ(link(path("a").c_str(), path("b").c_str()), 0);
  EXPECT_EQ(atmost::Named(path("a")).get_lock(limits_).answer(), ATMOST_IO);
  std::filesystem::remove(path("b"));
  cycle(path("a"));
}

}  // namespace
