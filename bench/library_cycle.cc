// The cost of taking and releasing a free lock in C, beside a bare open, flock and close: ratios
// of medians, measured in turns, so that a busy machine disturbs both alike.
//
//     bench/run library
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "atmost/atmost.h"

namespace {

constexpr int kRounds = 41;
constexpr int kCycles = 200;

template <class Cycle>
double microseconds(Cycle cycle) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kCycles; ++i) cycle();
  const std::chrono::duration<double, std::micro> span = std::chrono::steady_clock::now() - start;
  return span.count() / kCycles;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
  return values[kRounds / 2];
}

void fail(const char* what) {
  std::fprintf(stderr, "library_cycle: %s\n", what);
  std::exit(1);
}

void take_and_release(atmost_request* request) {
  atmost_lock* lock = nullptr;
  if (atmost_get(request, &lock) != ATMOST_ADMITTED) fail(atmost_message());
  atmost_release(lock, 1);
}

void open_flock_close(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) fail("cannot lock");
  close(fd);
}

// Only the calls that a take and a release need to keep the library's promises: a file that is
// open, its guard and slot, its header with the holder's record, and the two lines of the history.
// tests/library/calls_test.cc counts those of the library.
class Floor {
 public:
  explicit Floor(const std::string& directory)
      : path_(directory + "/floor.lock"),
        fd_(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)),
        log_(open((directory + "/floor.jsonl").c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC,
                  0600)) {
    if (fd_ < 0 || log_ < 0) fail("cannot make the files of the floor");
    put(kHeaderSize + kRecordSize, kHeaderAt);
  }
  ~Floor() {
    close(log_);
    close(fd_);
  }
  Floor(const Floor&) = delete;
  Floor& operator=(const Floor&) = delete;

  void cycle(bool history) {
    sum_ += geteuid();                 // still the user that opened it
    lock(F_OFD_SETLK, F_WRLCK, 0, 9);  // guard and slot
    struct statx status;
    statx(AT_FDCWD, path_.c_str(), AT_SYMLINK_NOFOLLOW, kUntimed, &status);
    get(kHeaderSize, kHeaderAt);
    lock(F_OFD_GETLK, F_WRLCK, 9, 0);
    put(kHeaderSize + kRecordSize, kHeaderAt);
    lock(F_OFD_SETLK, F_UNLCK, 0, 8);
    if (history) line();
    lock(F_OFD_SETLK, F_WRLCK, 0, 8);
    get(kHeaderSize, kHeaderAt);
    put(kHeaderSize, kHeaderAt);
    lock(F_OFD_SETLK, F_UNLCK, 0, 0);
    if (history) line();
  }

 private:
  static constexpr std::size_t kHeaderSize = 240;
  static constexpr std::size_t kRecordSize = 256;
  static constexpr off_t kHeaderAt = 4096;
  static constexpr unsigned kUntimed =
      STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_GID | STATX_INO | STATX_SIZE;
  static constexpr std::size_t kLineSize = 300;

  void lock(int command, int type, off_t start, off_t length) {
    struct flock range = {};
    range.l_type = static_cast<short>(type);
    range.l_start = start;
    range.l_len = length;
    if (fcntl(fd_, command, &range) != 0) fail("cannot lock");
  }
  void get(std::size_t size, off_t at) { sum_ += pread(fd_, bytes_, size, at); }
  void put(std::size_t size, off_t at) { sum_ += pwrite(fd_, bytes_, size, at); }
  void line() {
    struct statx status;
    statx(log_, "", AT_EMPTY_PATH, kUntimed, &status);
    sum_ += write(log_, bytes_, kLineSize);
  }

  const std::string path_;
  const int fd_;
  const int log_;
  char bytes_[512] = {};
  long sum_ = 0;
};

}  // namespace

int main() {
  char name[] = "/tmp/atmost-cycle.XXXXXX";
  if (mkdtemp(name) == nullptr) fail("no directory");
  const std::string directory = name;
  setenv("ATMOST_DIR", name, 1);
  std::vector<double> bare, plain, logged, plain_floor, logged_floor;
  atmost_request* const plain_lock = atmost_new((directory + "/plain.lock").c_str());
  (void)atmost_set(plain_lock, "no_history", nullptr);
  atmost_request* const logged_lock = atmost_new((directory + "/logged.lock").c_str());
  Floor floor(directory);
  for (int round = 0; round < kRounds; ++round) {
    bare.push_back(microseconds([&] { open_flock_close(directory + "/bare"); }));
    plain.push_back(microseconds([&] { take_and_release(plain_lock); }));
    logged.push_back(microseconds([&] { take_and_release(logged_lock); }));
    plain_floor.push_back(microseconds([&] { floor.cycle(false); }));
    logged_floor.push_back(microseconds([&] { floor.cycle(true); }));
  }
  const auto row = [&](const char* what, const std::vector<double>& values) {
    std::printf("%-34s %7.2f us  %5.2f x\n", what, median(values), median(values) / median(bare));
  };
  row("open, flock, close", bare);
  row("without history", plain);
  row("floor: only the calls it needs", plain_floor);
  row("with history", logged);
  row("floor with history", logged_floor);
  std::filesystem::remove_all(directory);
  return 0;
}
