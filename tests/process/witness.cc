// The command that tests and benchmarks run under a limit: it marks its begin and its end in a
// file.
//
//   witness LOG [tag=T] [weight=K] [limit=N] [work=US] [gate]
//
// work: it stays inside for a random time of up to US microseconds (default 0), and one in sixteen
// for up to sixteen times as long, so that all places are taken at times however slowly they are
// given. gate: it stays until it can read one byte from standard input, or until that ends.
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "witness_record.h"

namespace {

// The value of `key=` among the arguments, or of the environment variable, as a number; 0 when
// there is none.
std::uint64_t number(const char* text) { return text == nullptr ? 0 : strtoull(text, nullptr, 10); }

const char* argument(char** argv, const char* key) {
  const std::size_t length = strlen(key);
  for (char** arg = argv; *arg != nullptr; ++arg) {
    if (strncmp(*arg, key, length) == 0) return *arg + length;
  }
  return nullptr;
}

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

bool mark(int log, witness::Record record, char kind) {
  record.kind = kind;
  record.ns = monotonic_ns();
  return write(log, &record, sizeof record) == static_cast<ssize_t>(sizeof record);
}

void work(std::uint64_t most_us) {
  if (most_us == 0) return;
  timespec seed{};
  clock_gettime(CLOCK_MONOTONIC, &seed);
  const auto mixed =
      (static_cast<std::uint64_t>(seed.tv_nsec) ^ static_cast<std::uint64_t>(getpid()) << 20) *
      0x9E3779B97F4A7C15u;
  const std::uint64_t most_ns = most_us * ((mixed >> 60) == 0 ? 16'000 : 1000);
  const std::uint64_t ns = (mixed >> 16) % most_ns;
  const timespec span{static_cast<time_t>(ns / 1'000'000'000),
                      static_cast<long>(ns % 1'000'000'000)};
  nanosleep(&span, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return witness::kCannotMark;
  const int log = open(argv[1], O_WRONLY | O_APPEND | O_CLOEXEC);
  if (log < 0) return witness::kCannotMark;
  witness::Record record;
  record.pid = getpid();
  record.tag = static_cast<std::uint32_t>(number(argument(argv + 2, "tag=")));
  record.limit = static_cast<std::uint16_t>(number(argument(argv + 2, "limit=")));
  if (const char* weight = argument(argv + 2, "weight="))
    record.weight = static_cast<std::uint8_t>(number(weight));
  record.slot = static_cast<std::uint32_t>(number(getenv("ATMOST_SLOT")));
  record.token = number(getenv("ATMOST_TOKEN"));
  if (!mark(log, record, '+')) return witness::kCannotMark;
  work(number(argument(argv + 2, "work=")));
  if (argument(argv + 2, "gate") != nullptr) {
    char byte = 0;
    if (read(0, &byte, 1) < 0) return witness::kCannotMark;
  }
  return mark(log, record, '-') ? 0 : witness::kCannotMark;
}
