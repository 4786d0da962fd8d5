#include "world/report.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace world {
namespace {

std::string tenths(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", seconds);
  return text;
}

// Reads `words` of a line, each of which is exactly this.
bool skip(std::istringstream& from, std::string_view words) {
  std::istringstream expected{std::string(words)};
  for (std::string is, ought; expected >> ought;)
    if (!(from >> is) || is != ought) return false;
  return true;
}

}  // namespace

void Sum::add(const Result& result) {
  ++worlds;
  found += result.breaks.empty() ? 0 : 1;
  admissions += result.counts.admissions;
}

void Sum::add(const Sum& other) {
  worlds += other.worlds;
  found += other.found;
  admissions += other.admissions;
}

std::string found_line(std::uint64_t seed, const Sum& so_far, std::string_view breaks,
                       std::string_view text) {
  std::string line = "found seed " + std::to_string(seed) + " worlds " +
                     std::to_string(so_far.worlds) + " seconds " + tenths(so_far.seconds) + " " +
                     std::string(breaks) + ": " + std::string(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::string last_line(const Sum& sum) {
  return (sum.found == 0 ? "nothing" : std::to_string(sum.found)) + " found worlds " +
         std::to_string(sum.worlds) + " admissions " + std::to_string(sum.admissions) +
         " seconds " + tenths(sum.seconds);
}

std::optional<Found> read_found(std::string_view line) {
  std::istringstream from{std::string(line)};
  Found found;
  std::uint64_t worlds = 0;
  double seconds = 0;
  if (!skip(from, "found seed") || !(from >> found.seed) || !skip(from, "worlds") ||
      !(from >> worlds) || !skip(from, "seconds") || !(from >> seconds) ||
      !(from >> found.breaks) || !found.breaks.ends_with(':'))
    return std::nullopt;
  found.breaks.pop_back();
  std::getline(from >> std::ws, found.text);
  return found;
}

std::optional<Sum> read_last(std::string_view line) {
  std::istringstream from{std::string(line)};
  Sum sum;
  if (line.starts_with("nothing ") ? !skip(from, "nothing") : !(from >> sum.found))
    return std::nullopt;
  if (!skip(from, "found worlds") || !(from >> sum.worlds) || !skip(from, "admissions") ||
      !(from >> sum.admissions) || !skip(from, "seconds") || !(from >> sum.seconds))
    return std::nullopt;
  return sum;
}

}  // namespace world
