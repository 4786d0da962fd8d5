// Forks, and questions, while a lock is taken whose file stayed open.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <utility>
#include <vector>

#include "together_kit.h"

namespace {

// The ranges that this process has locked through any of its descriptors begin here.
std::vector<std::int64_t> locked_here() {
  std::vector<std::int64_t> starts;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
    std::ifstream lines(each.path());
    std::string line;
    while (std::getline(lines, line)) {
      const std::size_t colons = line.rfind(':');
      if (line.rfind("lock:", 0) == 0 && line.find("OFDLCK") != std::string::npos)
        starts.push_back(std::stoll(line.substr(line.find(' ', colons))));
    }
  }
  return starts;
}

// The lines of the locks that are held through one descriptor.
std::string locks_of(int fd) {
  const std::string path = "/proc/self/fdinfo/" + std::to_string(fd);
  char text[1024];
  const int info = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t size = info < 0 ? 0 : read(info, text, sizeof text);
  if (info >= 0) close(info);
  const std::string all(text, static_cast<std::size_t>(size > 0 ? size : 0));
  const std::size_t first = all.find("lock:");
  return first == std::string::npos ? "" : all.substr(first);
}

int descriptor_with_a_lock() {
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
    const int fd = std::stoi(each.path().filename());
    if (!locks_of(fd).empty()) return fd;
  }
  return -1;
}

std::function<void()> at_next_write;

}  // namespace

// In place of the C library's, for libatmost, too: it writes while it has the guard.
extern "C" ssize_t pwrite(int fd, const void* from, std::size_t size, off_t at) {
  if (at_next_write) std::exchange(at_next_write, nullptr)();
  return syscall(SYS_pwrite64, fd, from, size, at);
}

namespace {

// A child that is forked at the moment of a take or a release has the slot, or nothing: never the
// guard, which would outlive a parent that is killed now.
TEST_F(Together, NoChildHasTheGuard) {
  int forked = 0;
  const auto fork_now = [&] {
    std::vector<std::int64_t> ours = locked_here();
    EXPECT_EQ(std::count(ours.begin(), ours.end(), 0), 1);
    const pid_t child = fork();
    if (child == 0) {
      ours = locked_here();
      _exit(std::any_of(ours.begin(), ours.end(), [](auto start) { return start < 8; }) ? 1 : 0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    ++forked;
  };
  at_next_write = fork_now;
  cycle();
  EXPECT_EQ(forked, 1);
  cycle();  // opens the file anew, since there was a fork
  EXPECT_EQ(take(limits_, [&] { at_next_write = fork_now; }), ATMOST_ADMITTED);
  EXPECT_EQ(forked, 2);
}

// Nor does a child that was forked during the hold ever get it later; it looks all the time.
TEST_F(Together, NoChildOfTheHoldHasTheGuard) {
  struct Page {
    std::atomic<bool> looks, over;
  };
  void* room = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(room, MAP_FAILED);
  constexpr int kHolds = 300;
  int with_guard = 0;
  for (int i = 0; i < kHolds; ++i) {
    auto* page = new (room) Page{};
    pid_t child = 0;
    EXPECT_EQ(take(limits_,
                   [&] {
                     child = fork();
                     if (child == 0) {
                       const int fd = descriptor_with_a_lock();
                       bool guard = fd < 0;
                       do {
                         page->looks = true;
                         guard = guard || locks_of(fd).find(" 0 ") != std::string::npos;
                       } while (!page->over);
                       _exit(guard ? 1 : 0);
                     }
                     EXPECT_TRUE(eventually([&] { return page->looks.load(); }));
                   }),
              ATMOST_ADMITTED);
    page->over = true;
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    with_guard += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
  }
  EXPECT_EQ(with_guard, 0);
  munmap(room, 4096);
}

// Callers of the library, of the ordinary way and of the original's: one at a time.
TEST_F(Together, ExcludesAllOthers) {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto* inside = new (page) std::atomic<int>[3] {};  // now; too many; how often
  const auto visit = [&] {
    if (inside[0].fetch_add(1) != 0) ++inside[1];
    ++inside[2];
    --inside[0];
  };
  constexpr int kVisits = 3000;
  std::vector<pid_t> children;
  for (const int command : {0, 0, F_OFD_SETLK, F_SETLK}) {
    const pid_t child = fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    const Stranger own(path("a"));
    for (int visits = 0; visits < kVisits;) {
      if (command == 0) {
        visits += take(limits_, visit) == ATMOST_ADMITTED ? 1 : 0;
        continue;
      }
      if (!own.lock(0, 8, command)) continue;
      const bool admitted = own.lock(8, 1, command);
      own.unlock(0, 8, command);
      if (!admitted) continue;
      visit();
      ++visits;
      own.unlock(8, 1, command);
    }
    _exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(inside[1], 0);
  EXPECT_EQ(inside[2], 4 * kVisits);
  munmap(page, 4096);
}

}  // namespace
