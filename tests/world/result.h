// The outcome of a world.
#ifndef ATMOST_TESTS_WORLD_RESULT_H
#define ATMOST_TESTS_WORLD_RESULT_H

#include <cstdint>
#include <string>
#include <vector>

#include "world/script.h"

namespace world {

// Something that a picture shows. The kernel notes what it does and what becomes of locks, a
// caller notes what it asks and is answered.
struct Mark {
  enum class Kind : std::uint8_t {
    asks,  // value: the number of the run, 0, 1, …
    guard_taken,
    guard_dropped,
    ticket_drawn,
    ticket_dropped,
    blocks,    // in a lock that another one has; value: that process, or kNobody
    goes_on,   // behind `blocks`
    admitted,  // value: the slot
    released,
    refused,
    frozen,   // value: until when, ns
    stopped,  // value: until when, ns
    killed,
    clock_stepped,  // value: by how much, ns
    violation,
  };
  std::int64_t at_ns = 0;  // since the world began
  int process = 0;         // kNobody: the world
  Kind kind = Kind::asks;
  std::int64_t value = 0;
};

struct Counts {
  std::uint64_t admissions = 0;
  std::uint64_t refusals = 0;
  std::uint64_t calls = 0;
  std::uint64_t switches = 0;
  std::uint64_t kills = 0;
  std::uint64_t freezes = 0;
  std::int64_t simulated_ns = 0;
};

struct Result {
  std::string breaks;  // the invariant, a word of letters and '-'; empty: none
  std::string text;    // a line: how
  Counts counts;
  std::vector<Event> events;  // what was done; as a list, they make the same world
  std::vector<Mark> marks;    // if a picture is wanted
  std::string trace;          // a line for each step, if wanted
};

}  // namespace world

#endif
