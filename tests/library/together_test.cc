// A free lock that was held before is taken with its guard by one call, on the description that
// children inherit. What may be in the way, who may be forked at that moment, and what others see.
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <utility>
#include <vector>

#include "library_kit.h"

namespace {

constexpr std::int64_t kModeByte = std::int64_t{1} << 41;
constexpr std::int64_t kTakeoverByte = std::int64_t{1} << 42;
constexpr std::int64_t kTicketByte = (std::int64_t{1} << 48) + (std::int64_t{1} << 40) + 1;
constexpr std::int64_t kTickets = std::int64_t{1} << 48;
constexpr off_t kWordAt = 2 << 20;
constexpr off_t kStartAt = 4096 + 64;  // in the header: when the last admission was

// Another program's view of the file: a description of its own.
class Stranger {
 public:
  explicit Stranger(const std::string& file) : fd_(open(file.c_str(), O_RDWR | O_CLOEXEC)) {}
  ~Stranger() { close(fd_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;

  bool lock(std::int64_t start, std::int64_t length, int command = F_OFD_SETLK) const {
    return set(F_WRLCK, start, length, command);
  }
  void unlock(std::int64_t start, std::int64_t length, int command = F_OFD_SETLK) const {
    set(F_UNLCK, start, length, command);
  }
  // Whether others have locked any of the bytes; length 0: to the end.
  bool sees(std::int64_t start, std::int64_t length) const {
    struct flock range = make(F_WRLCK, start, length);
    EXPECT_EQ(fcntl(fd_, F_OFD_GETLK, &range), 0);
    return range.l_type != F_UNLCK;
  }
  int fd() const { return fd_; }

 private:
  static struct flock make(int type, std::int64_t start, std::int64_t length) {
    struct flock range = {};
    range.l_type = static_cast<short>(type);
    range.l_start = start;
    range.l_len = length;
    return range;
  }
  bool set(int type, std::int64_t start, std::int64_t length, int command) const {
    struct flock range = make(type, start, length);
    return fcntl(fd_, command, &range) == 0;
  }
  const int fd_;
};

class Together : public Library {
 protected:
  void SetUp() override {
    Library::SetUp();
    limits_.no_history = 1;
    cycle();
  }
  void cycle() { EXPECT_EQ(take(limits_), ATMOST_ADMITTED) << atmost_message(); }
  // Takes it, and holds it while `inside` runs.
  int take(const atmost::Limits& limits, const std::function<void()>& inside = {}) {
    atmost_lock* lock = nullptr;
    const int answer = atmost_get(path("a").c_str(), &limits, &lock);
    if (lock == nullptr) return answer;
    EXPECT_TRUE(held(path("a")));
    if (inside) inside();
    atmost_release(lock, 1);
    return answer;
  }
};

TEST_F(Together, KeepsOnlyTheSlot) {
  const Stranger other(path("a"));
  EXPECT_EQ(take(limits_,
                 [&] {
                   EXPECT_FALSE(other.sees(0, 8));
                   EXPECT_TRUE(other.sees(8, 1));
                   EXPECT_FALSE(other.sees(9, 0));
                 }),
            ATMOST_ADMITTED);
  EXPECT_FALSE(other.sees(0, 0));
}

// Whatever refuses it leaves nothing locked.
TEST_F(Together, IsRefusedLikeAnyOther) {
  const Stranger other(path("a"));
  for (const std::int64_t byte : {std::int64_t{8}, std::int64_t{10}, kModeByte}) {
    SCOPED_TRACE(byte);
    ASSERT_TRUE(other.lock(byte, 1));
    EXPECT_EQ(take(limits_), ATMOST_BUSY);
    const Stranger witness(path("a"));
    EXPECT_FALSE(witness.sees(0, byte));
    EXPECT_FALSE(witness.sees(byte + 1, 0));
    other.unlock(byte, 1);
    cycle();
  }
}

TEST_F(Together, LeavesASlotToWaitersAndTakers) {
  const Stranger other(path("a"));
  for (const std::int64_t byte : {kTakeoverByte, kTicketByte}) {
    SCOPED_TRACE(byte);
    ASSERT_TRUE(other.lock(byte, 1));
    EXPECT_EQ(take(limits_), ATMOST_BUSY);
    EXPECT_FALSE(held(path("a")));
    other.unlock(byte, 1);
    cycle();
  }
}

TEST_F(Together, TakesTheNextSlotWhenTheFirstIsHeld) {
  const Stranger other(path("a"));
  ASSERT_TRUE(other.lock(8, 1));
  limits_.max = 2;
  EXPECT_EQ(take(limits_, [&] { EXPECT_TRUE(other.sees(9, 1)); }), ATMOST_ADMITTED);
  EXPECT_FALSE(other.sees(0, 0));
}

TEST_F(Together, SeesWhatWasWrittenMeanwhile) {
  const Stranger other(path("a"));
  const std::uint32_t drained = 1;
  const std::uint32_t none = 0;
  ASSERT_EQ(pwrite(other.fd(), &drained, sizeof drained, kWordAt + 4), 4);
  EXPECT_EQ(take(limits_), ATMOST_BUSY);
  EXPECT_FALSE(other.sees(0, 0));
  ASSERT_EQ(pwrite(other.fd(), &none, sizeof none, kWordAt + 4), 4);
  cycle();
  // A caller that waits keeps its descriptors, and nothing but its ticket on them.
  ASSERT_EQ(pwrite(other.fd(), &drained, sizeof drained, kWordAt + 4), 4);
  std::thread waiter([&] {
    atmost::Limits patient = limits_;
    patient.wait = 60;
    EXPECT_EQ(take(patient), ATMOST_ADMITTED);
  });
  EXPECT_TRUE(eventually([&] { return other.sees(kTickets, 0); }));
  EXPECT_TRUE(eventually([&] { return !other.sees(0, 9); }));
  ASSERT_EQ(pwrite(other.fd(), &none, sizeof none, kWordAt + 4), 4);
  waiter.join();
  atmost::Limits later = limits_;
  later.if_elapsed = 3600;
  EXPECT_EQ(take(later), ATMOST_TOO_SOON);
  EXPECT_FALSE(other.sees(0, 0));
  // A last admission that cannot be read lets nobody run early.
  cycle();
  const char wiped[24] = {};
  ASSERT_EQ(pwrite(other.fd(), wiped, sizeof wiped, kStartAt), 24);
  EXPECT_EQ(take(later), ATMOST_TOO_SOON);
  cycle();
}

TEST_F(Together, SurvivesATruncation) {
  ASSERT_EQ(truncate(path("a").c_str(), 0), 0);
  cycle();
  EXPECT_GT(std::filesystem::file_size(path("a")), 4096u);
}

TEST_F(Together, WaitsForTheGuard) {
  const Stranger other(path("a"));
  ASSERT_TRUE(other.lock(0, 8));
  atmost_request* request = nullptr;
  ASSERT_EQ(atmost_begin(path("a").c_str(), &limits_, &request), ATMOST_ADMITTED);
  EXPECT_EQ(atmost_answered(request), 0);
  other.unlock(0, 8);
  atmost_lock* lock = nullptr;
  EXPECT_EQ(atmost_finish(request, &lock), ATMOST_ADMITTED) << atmost_message();
  if (lock != nullptr) atmost_release(lock, 1);
}

TEST_F(Together, WaitsForTheGuardWhenItReleases) {
  const Stranger other(path("a"));
  std::atomic<bool> over = false;
  std::thread later;
  atmost_lock* lock = nullptr;
  ASSERT_EQ(atmost_get(path("a").c_str(), &limits_, &lock), ATMOST_ADMITTED);
  ASSERT_TRUE(other.lock(0, 8));
  later = std::thread([&] {
    std::this_thread::sleep_for(20ms);
    over = true;
    other.unlock(0, 8);
  });
  atmost_release(lock, 1);
  EXPECT_TRUE(over);
  later.join();
  EXPECT_FALSE(other.sees(0, 0));
  cycle();
}

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

// Whoever is forked at the moment of a take or a release has the slot, or nothing: never the guard,
// which would outlive a parent that is killed now.
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

// Nor later has a child that was forked during the hold, and looks all the time.
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
