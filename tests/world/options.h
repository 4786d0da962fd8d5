// The command line of the program that runs worlds.
#ifndef ATMOST_TESTS_WORLD_OPTIONS_H
#define ATMOST_TESTS_WORLD_OPTIONS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace world {

struct Options {
  // The worlds to run: those of seeds, or the one of a file.
  std::optional<std::uint64_t> seed;  // the first; else a fresh one
  std::optional<std::uint64_t> count;
  std::int64_t seconds = 0;  // 0: as long as it takes
  std::string file;
  bool shrink = false;

  // Their kind.
  bool real_processes = false;
  int callers = 0;  // at most; 0: the scenarios' own numbers
  int runs = 0;     // of a caller, at most
  std::string plant;

  // The output about them.
  bool steps = false;
  bool until_found = false;
  std::string picture;       // a file; empty: none
  std::string folder = ".";  // where worlds that break an invariant are kept

  int jobs = 0;  // 0: one for each processor
  bool help = false;
};

// The first mistake as a sentence, or nothing.
std::optional<std::string> read_options(std::span<char* const> arguments, Options& options);

// The words that describe its worlds to a child that runs some of them.
std::vector<std::string> for_children(const Options& options);

extern const std::string_view kHelp;

}  // namespace world

#endif
