// A program that closes descriptors of a lock that it holds loses that lock; but what it opens
// under their numbers is its own, and is neither written nor closed.
#include <sys/wait.h>

#include "library_kit.h"

namespace {

class Closed : public Library {
 protected:
  atmost_lock* take(const std::string& file, double wait = 0, unsigned max = 1) {
    const atmost::Limits limits =
        atmost::Limits().set("wait", wait).set("max", max).set("no_history");
    atmost_lock* lock = nullptr;
    EXPECT_EQ(get_by(file, limits, &lock), ATMOST_ADMITTED) << atmost_message();
    return lock;
  }
  // Another file under each of these numbers.
  void put_document_at(const std::vector<int>& numbers) const {
    const int fd = open(path("document").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    for (const int each : numbers) ASSERT_EQ(dup3(fd, each, O_CLOEXEC), each);
    close(fd);
  }
  // The file under these numbers was not written, nor closed.
  void expect_document_at(const std::vector<int>& numbers) const {
    EXPECT_EQ(std::filesystem::file_size(path("document")), 0u);
    for (const int each : numbers) {
      EXPECT_TRUE(is_document(each));
      close(each);
    }
  }
  void expect_others_left_alone(const std::string& file) {
    atmost_lock* const lock = take(file);
    const std::vector<int> ours = descriptors_of(file);
    EXPECT_EQ(ours.size(), 2u);
    put_document_at(ours);
    EXPECT_FALSE(held(file));
    atmost_release(lock, 1);
    expect_document_at(ours);
  }
  bool is_document(int fd) const {
    struct stat here;
    struct stat document;
    return fstat(fd, &here) == 0 && stat(path("document").c_str(), &document) == 0 &&
           here.st_ino == document.st_ino;
  }
  // By which a waiter watches the file.
  static std::vector<int> inotify_of(pid_t pid) {
    std::vector<int> found;
    const std::string directory = "/proc/" + std::to_string(pid) + "/fd";
    for (const auto& each : std::filesystem::directory_iterator(directory)) {
      std::error_code closed;
      if (std::filesystem::read_symlink(each.path(), closed) == "anon_inode:inotify")
        found.push_back(std::stoi(each.path().filename()));
    }
    return found;
  }
};

TEST_F(Closed, InAForkedChildOthersStayOpen) {
  atmost_release(take(path("a")), 1);
  const std::vector<int> kept = descriptors_of(path("a"));
  ASSERT_EQ(kept.size(), 2u);
  put_document_at(kept);
  const pid_t child = fork();
  if (child == 0) _exit(is_document(kept[0]) && is_document(kept[1]) ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  for (const int each : kept) close(each);
}

TEST_F(Closed, WhileHeldForTheFirstTime) { expect_others_left_alone(path("a")); }

TEST_F(Closed, WhileHeldAgain) {
  atmost_release(take(path("a")), 1);
  expect_others_left_alone(path("a"));
}

// If others may write the file, its descriptors do not stay open, and are not marked.
TEST_F(Closed, WhileASharedFileIsHeld) {
  atmost_release(take(path("a")), 1);
  ASSERT_EQ(chmod(path("a").c_str(), 0666), 0);
  expect_others_left_alone(path("a"));
}

// The numbers are given to the next lock that the program takes.
TEST_F(Closed, AnotherLockWithTheirNumbersStaysHeld) {
  atmost_lock* const lost = take(path("a"));
  const std::vector<int> first = descriptors_of(path("a"));
  for (const int each : first) close(each);
  atmost_lock* const lock = take(path("b"));
  ASSERT_EQ(descriptors_of(path("b")), first);
  atmost_release(lost, 1);
  EXPECT_TRUE(held(path("b")));
  EXPECT_EQ(descriptors_of(path("b")), first);
  atmost_release(lock, 1);
  EXPECT_FALSE(held(path("b")));
}

// The same if it is another hold of the same file.
TEST_F(Closed, AnotherHoldOfTheFileWithTheirNumbersStaysHeld) {
  atmost_lock* const lost = take(path("a"), 0, 2);
  const std::vector<int> first = descriptors_of(path("a"));
  for (const int each : first) close(each);
  atmost_lock* const lock = take(path("a"), 0, 2);
  ASSERT_EQ(descriptors_of(path("a")), first);
  EXPECT_TRUE(held(path("a")));
  atmost_release(lost, 1);
  EXPECT_TRUE(held(path("a")));
  EXPECT_EQ(descriptors_of(path("a")), first);
  atmost_release(lock, 1);
  EXPECT_FALSE(held(path("a")));
}

TEST_F(Closed, InAChildThatReleasesItsCopy) {
  atmost_lock* const lock = take(path("a"));
  const std::vector<int> ours = descriptors_of(path("a"));
  const pid_t child = fork();
  if (child == 0) {
    put_document_at(ours);
    atmost_release(lock, 1);
    _exit(is_document(ours[0]) && is_document(ours[1]) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(held(path("a")));
  atmost_release(lock, 1);
}

// A caller that waited has a third descriptor until the release.
TEST_F(Closed, AfterAWait) {
  int line[2];
  ASSERT_EQ(pipe2(line, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    atmost_lock* const lock = take(path("a"));
    (void)!write(line[1], "x", 1);
    while (inotify_of(getppid()).empty()) std::this_thread::sleep_for(2ms);
    atmost_release(lock, 1);
    _exit(0);
  }
  char byte;
  ASSERT_EQ(read(line[0], &byte, 1), 1);
  atmost_lock* const lock = take(path("a"), 60);
  std::vector<int> ours = descriptors_of(path("a"));
  EXPECT_EQ(ours.size(), 2u);
  const std::vector<int> third = inotify_of(getpid());
  EXPECT_EQ(third.size(), 1u);
  ours.insert(ours.end(), third.begin(), third.end());
  put_document_at(ours);
  atmost_release(lock, 1);
  expect_document_at(ours);
  for (const int each : line) close(each);
  waitpid(child, nullptr, 0);
}

}  // namespace
