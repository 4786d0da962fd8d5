// The marks of the outside witness: an append-only file that commands under test write to, and the
// driver that kills them. The order of the records in the file is the truth; the times are for
// latencies only.
#ifndef ATMOST_TESTS_PROCESS_WITNESS_RECORD_H
#define ATMOST_TESTS_PROCESS_WITNESS_RECORD_H

#include <cstdint>

namespace witness {

// Each record is one write(2) to a descriptor opened with O_APPEND: on a local file system such
// writes do not mix.
//
// '+'  the command runs. Written after its lock was taken, so somebody counted here holds a slot.
// '-'  the command is about to end. Written before its lock is given up, for the same reason.
// 'k' the driver is about to kill `pid`. From here on the process does not count: the kernel frees
// its locks before it reports the death to any process, so a successor may rightly begin before the
// driver hears of
//      it.
// 'x'  the driver has seen `pid` dead.
struct Record {
  char kind = 0;
  std::uint8_t weight = 1;  // slots this command was admitted with
  std::uint16_t limit = 0;  // the N it was admitted under; 0: not known
  std::int32_t pid = 0;
  std::uint32_t slot = 0;   // ATMOST_SLOT; 0: none was given
  std::uint32_t tag = 0;    // whatever the driver wants to recognise the command by
  std::uint64_t token = 0;  // ATMOST_TOKEN; 0: none was given
  std::int64_t ns = 0;      // CLOCK_MONOTONIC
};
static_assert(sizeof(Record) == 32);

// The exit code of the witness when it could not write its mark: a broken test, not a broken lock.
inline constexpr int kCannotMark = 99;

}  // namespace witness

#endif
