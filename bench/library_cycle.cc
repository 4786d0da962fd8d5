// What a take and a release of a free lock cost in C, beside a bare open, flock and close: ratios
// of medians, measured in turns, so that a busy machine disturbs both alike.
//
//     bench/run library
#include <fcntl.h>
#include <sys/file.h>
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

void take_and_release(const std::string& path, bool history) {
  atmost_options options = ATMOST_DEFAULTS;
  options.no_history = history ? 0 : 1;
  atmost_lock* lock = nullptr;
  if (atmost_get(path.c_str(), &options, &lock) != ATMOST_ADMITTED) fail(atmost_message());
  atmost_release(lock, 1);
}

void open_flock_close(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0) fail("cannot lock");
  close(fd);
}

}  // namespace

int main() {
  char name[] = "/tmp/atmost-cycle.XXXXXX";
  if (mkdtemp(name) == nullptr) fail("no directory");
  const std::string directory = name;
  setenv("ATMOST_DIR", name, 1);
  std::vector<double> bare, plain, logged;
  for (int round = 0; round < kRounds; ++round) {
    bare.push_back(microseconds([&] { open_flock_close(directory + "/bare"); }));
    plain.push_back(microseconds([&] { take_and_release(directory + "/plain.lock", false); }));
    logged.push_back(microseconds([&] { take_and_release(directory + "/logged.lock", true); }));
  }
  std::printf("open, flock, close   %7.2f us\n", median(bare));
  std::printf("without history      %7.2f us  %5.2f x\n", median(plain),
              median(plain) / median(bare));
  std::printf("with history         %7.2f us  %5.2f x\n", median(logged),
              median(logged) / median(bare));
  std::filesystem::remove_all(directory);
  return 0;
}
