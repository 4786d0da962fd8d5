// The outside view of a fleet's lock, and whether a set of slots can have been used so.
#ifndef ATMOST_TESTS_FLEET_HISTORY_H
#define ATMOST_TESTS_FLEET_HISTORY_H

#include <cstdint>
#include <string>
#include <vector>

namespace fleet_kit {

// One admission's use of its slots. Times are of the boot clock, in seconds.
struct Use {
  std::vector<std::uint32_t> slots;
  std::uint64_t token = 0;
  double asked = 0;  // atmost was started
  double begun = 0;  // the command began, by its own clock
  double ended = 0;  // the last moment at which the command is known to have used them; it may have
                     // been killed after it
};

struct History {
  std::uint32_t slots = 0;  // so many there are, from 1
  std::vector<Use> uses;
};

// The fault of a history, or nothing.
//
// It is right when it is linearizable: when a moment of taking, in [asked, begun], and a moment of
// giving back, not before `ended`, can be found for each use, such that one after the other they
// are what the rules allow: the slots that are taken exist and are free, and the token is larger
// than all before it.
//
// First, without tokens: whatever the moments, a use covers [begun, ended], so two of these that
// meet on one slot refute the history, in whatever order the tokens are.
//
// Then, with tokens, one pass decides. The rules leave a single order of takings, that of the
// tokens. In this order each taking is given the earliest moment that its own span, the taking
// before it and the ends of the uses before it on its slots allow. By induction no solution has any
// taking earlier: giving back at `ended` is the earliest there is. So where the earliest moment is
// later than `begun`, there is no solution; and when the pass comes to the end, its moments are
// one. checker_test.cc compares it with a search through all orders of all events.
std::string contradiction(const History& history);

// As text, a line for each use; reading it again gives the same. `write` blocks for the disk; false
// with errno after a failure.
bool write(const History& history, const std::string& title, const std::string& path);
// An empty `why` when it could be read; else what and where, and what would be right.
History read(const std::string& path, std::string& why);

}  // namespace fleet_kit

#endif
