// A world as a picture: a lane for each process, and what it had and waited for over time.
#ifndef ATMOST_TESTS_WORLD_PICTURE_H
#define ATMOST_TESTS_WORLD_PICTURE_H

#include <cstdint>
#include <string>
#include <vector>

#include "world/result.h"
#include "world/script.h"

namespace world {

// The state of a process during a time. The later of two that overlap hides the earlier.
struct Span {
  enum class Kind : std::uint8_t {
    alive,
    asking,
    ticket,
    holding,
    guard,
    blocked,
    stopped,
    frozen
  };
  int process = 0;
  Kind kind = Kind::alive;
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;
  std::int64_t value = 0;  // holding: the slot; blocked: by which process, or kNobody
};

// The last part of a world: long before its end, nothing explains it.
inline constexpr std::size_t kMostMarks = 200;
struct Story {
  bool cut = false;         // there were more marks before
  std::vector<Mark> marks;  // in order of time, kMostMarks at most
  std::vector<int> lanes;   // the processes of the marks, rising
  std::vector<Span> spans;  // in order of kind, so that each may be drawn over those before
  std::int64_t end_ns = 0;  // of the last mark
};
Story tell(std::vector<Mark> marks);

// "p3 is admitted to slot 0"
std::string sentence(const Mark& mark);

// SVG 1.1, complete in itself. Time is not to scale: a gap is as wide as its logarithm.
std::string svg_picture(const Script& script, const Result& result);
// A line for each mark; a column for each process.
std::string text_picture(const Script& script, const Result& result);

}  // namespace world

#endif
