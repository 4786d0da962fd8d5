// The output about worlds: people read it, and so do tests/world/plants and the program itself
// about its children.
#ifndef ATMOST_TESTS_WORLD_REPORT_H
#define ATMOST_TESTS_WORLD_REPORT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "world/result.h"

namespace world {

// Of several worlds.
struct Sum {
  std::uint64_t worlds = 0;
  std::uint64_t found = 0;  // that broke an invariant
  std::uint64_t admissions = 0;
  double seconds = 0;

  void add(const Result& result);
  void add(const Sum& other);  // without its seconds
};

// "found seed N worlds W seconds X.Y INVARIANT: text"
std::string found_line(std::uint64_t seed, const Sum& so_far, std::string_view breaks,
                       std::string_view text);
// The last line: "nothing found worlds W admissions A seconds X.Y", or the same beginning with the
// number of those that broke an invariant.
std::string last_line(const Sum& sum);

// The same, read.
struct Found {
  std::uint64_t seed = 0;
  std::string breaks;
  std::string text;
};
std::optional<Found> read_found(std::string_view line);
std::optional<Sum> read_last(std::string_view line);

}  // namespace world

#endif
