#include "progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "os/clock.h"

namespace atmost::simulate {
namespace {

constexpr std::int64_t kFirstNs = 500'000'000;
constexpr std::int64_t kBetweenNs = 100'000'000;
constexpr std::size_t kCells = 24;

}  // namespace

Progress::Progress(std::size_t whole, bool wanted)
    : whole_(std::max<std::size_t>(whole, 1)),
      wanted_(wanted && isatty(STDERR_FILENO)),
      next_ns_(os::boot_ns() + kFirstNs) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::show(const std::string& what, std::size_t done) {
  if (!wanted_ || os::boot_ns() < next_ns_) return;
  next_ns_ = os::boot_ns() + kBetweenNs;
  const std::size_t part = std::min(done, whole_);
  std::string bar(kCells * part / whole_, '#');
  bar.resize(kCells, '.');
  std::fprintf(stderr, "\r\x1b[K[%s] %3zu%%  %s", bar.c_str(), 100 * part / whole_, what.c_str());
  drawn_ = true;
}

}  // namespace atmost::simulate
