#include "comparison.h"

#include <stdlib.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <random>
#include <stdexcept>
#include <string_view>

namespace world {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kShortenFor = std::chrono::seconds(120);

// Leaves out steps, in ever smaller parts, as long as there is a difference.
Found shorten(Comparison& comparison, std::uint64_t seed, Found found) {
  Counts counts;
  const auto end = Clock::now() + kShortenFor;
  for (std::size_t part = found.steps.size() / 2; part > 0; part /= 2) {
    for (std::size_t at = 0; at < found.steps.size() && Clock::now() < end;) {
      std::vector<std::uint64_t> rest = found.steps;
      const auto from = rest.begin() + static_cast<std::ptrdiff_t>(at);
      rest.erase(from, from + static_cast<std::ptrdiff_t>(std::min(part, rest.size() - at)));
      std::optional<Found> shorter;
      if (!rest.empty()) shorter = comparison.run(seed, 0, rest, counts);
      if (shorter) {
        found = *shorter;
      } else {
        at += part;
      }
    }
  }
  return found;
}

int report(Comparison& comparison, std::uint64_t seed, const Found& found) {
  std::printf("DIFFERENT: seed=%llu, step %zu: %s\n%s\n", static_cast<unsigned long long>(seed),
              found.steps.size(), comparison.text(seed, found.steps.back()).c_str(),
              found.what.c_str());
  std::fflush(stdout);
  const Found shorter = shorten(comparison, seed, found);
  std::printf("the shortest list with a difference:\n");
  for (const std::uint64_t number : shorter.steps) {
    std::printf("  %s\n", comparison.text(seed, number).c_str());
  }
  std::printf("%s\n", shorter.what.c_str());
  return 1;
}

struct Options {
  std::uint64_t seed = std::random_device()();
  std::uint64_t steps = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t seconds = std::numeric_limits<std::uint32_t>::max();
};

bool read_option(std::string_view text, std::string_view name, std::uint64_t& to) {
  if (!text.starts_with(name)) return false;
  text.remove_prefix(name.size());
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_options(int argc, char** argv, Options& to) {
  const Options before = to;
  for (int i = 1; i < argc; ++i) {
    if (!read_option(argv[i], "seed=", to.seed) && !read_option(argv[i], "steps=", to.steps) &&
        !read_option(argv[i], "seconds=", to.seconds)) {
      return false;
    }
  }
  if (to.steps == before.steps && to.seconds == before.seconds) to.seconds = 60;
  return true;
}

// A folder for files, which is gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "compare.XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder " + name);
    path_ = name;
    std::filesystem::current_path(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

 private:
  std::filesystem::path path_;
};

int run_seeds(const Options& options, std::uint64_t steps_of_one_seed, Comparison& comparison) {
  const auto begin = Clock::now();
  Counts counts;
  std::printf("seed=%llu\n", static_cast<unsigned long long>(options.seed));
  std::fflush(stdout);
  for (std::uint64_t seed = options.seed; counts.steps < options.steps; ++seed) {
    if (Clock::now() - begin >= std::chrono::seconds(options.seconds)) break;
    const std::uint64_t most = std::min(steps_of_one_seed, options.steps - counts.steps);
    const std::optional<Found> found = comparison.run(seed, most, {}, counts);
    if (found) return report(comparison, seed, *found);
  }
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  std::printf("%llu steps in %.1f s, 0 different\n", static_cast<unsigned long long>(counts.steps),
              seconds.count());
  for (const auto& [what, count] : counts.of) {
    std::printf("%12llu %s\n", static_cast<unsigned long long>(count), what.c_str());
  }
  return 0;
}

}  // namespace

int compare(int argc, char** argv, std::uint64_t steps_of_one_seed, Comparison& comparison) {
  Options options;
  if (!read_options(argc, argv, options)) {
    std::fprintf(stderr, "usage: %s [seed=N] [steps=N] [seconds=N]\n", argv[0]);
    return 64;
  }
  const Folder folder;
  return run_seeds(options, steps_of_one_seed, comparison);
}

}  // namespace world
