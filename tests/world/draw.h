// Random numbers without a state: each is a hash of what it is for and of a count. An event that is
// left out of a world therefore changes no other number.
#ifndef ATMOST_TESTS_WORLD_DRAW_H
#define ATMOST_TESTS_WORLD_DRAW_H

#include <cstdint>

namespace world {

enum class Purpose : std::uint8_t { scenario, caller, schedule, fault, kernel };

// The process of numbers that belong to the world as a whole.
inline constexpr int kNobody = -1;

// The mixing step of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014). Different arguments give different results.
constexpr std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// `counter` is a count of the process for this purpose: of its calls, or of its draws.
constexpr std::uint64_t draw(std::uint64_t seed, Purpose purpose, int process,
                             std::uint64_t counter) {
  const auto who = static_cast<std::uint64_t>(static_cast<std::uint32_t>(process));
  return mix(mix(mix(seed) + (static_cast<std::uint64_t>(purpose) << 32 | who)) + counter);
}

// A drawn number as one of 0…n − 1; n is at least 1.
constexpr std::uint64_t below(std::uint64_t drawn, std::uint64_t n) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(drawn) * n >> 64);
}

// True if something happens that happens `rate` times in a million.
constexpr bool happens(std::uint64_t drawn, std::int64_t rate) {
  return static_cast<std::int64_t>(below(drawn, 1'000'000)) < rate;
}

// The numbers of one purpose and process, counted.
class Draws {
 public:
  constexpr Draws(std::uint64_t seed, Purpose purpose, int process)
      : seed_(seed), purpose_(purpose), process_(process) {}

  constexpr std::uint64_t next() { return draw(seed_, purpose_, process_, ++count_); }
  constexpr std::uint64_t below(std::uint64_t n) { return world::below(next(), n); }
  constexpr bool happens(std::int64_t rate) { return world::happens(next(), rate); }

 private:
  std::uint64_t seed_;
  Purpose purpose_;
  int process_;
  std::uint64_t count_ = 0;
};

}  // namespace world

#endif
