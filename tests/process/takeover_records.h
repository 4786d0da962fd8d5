// Lying records and recycled pids, against real holders and bystanders in a pid namespace of their
// own.
#ifndef ATMOST_TESTS_PROCESS_TAKEOVER_RECORDS_H
#define ATMOST_TESTS_PROCESS_TAKEOVER_RECORDS_H

#include <string>

namespace witness {

inline constexpr const char* kNoNamespace = "needs root and pid namespaces";

// Writes `count` fuzzed records and words into lock files that somebody, nobody or an ancestor
// holds, with a taker at each. Empty when every signal (none of them is really sent) would have
// reached a proven holder, else what did not.
std::string fuzz_records(unsigned count, unsigned seed);

// Lets `count` bystanders get the number that the kernel reports for a slot's holder, and presses
// the slot. Empty when none of them was sent a signal and the holder was, else what happened.
std::string recycle_pids(unsigned count);

// The slot goes from one holder to another between the decision and the signal. Empty when the
// second one got none.
std::string change_hands();

}  // namespace witness

#endif
