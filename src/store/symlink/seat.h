// The seat: a link that is to ours among ourselves what the lock is to everybody. The original does
// not know it, so it never touches it: whoever has the seat is alone with NAME, as far as ours are
// concerned.
//
// A seat is removed by its holder, or, when the holder has ended or its time is over, by who has
// the right to: rights to one particular seat are links too, numbered, made in one step, and number
// K + 1 is asked for only when the maker of number K has ended. Who has the right looks again
// before using it. A seat's text never comes again, so a late right to an old seat finds that seat
// gone. tests/model/ours.pml is this file as a model.
#ifndef ATMOST_STORE_SYMLINK_SEAT_H
#define ATMOST_STORE_SYMLINK_SEAT_H

#include <cstdint>

#include "being.h"
#include "core/result.h"
#include "core/time.h"
#include "place.h"

namespace atmost::symlink {

// The text of seats and rights: "pid=P start=NS boot=HEX until=EPOCH token=HEX".
struct Mark {
  Being being;
  std::int64_t until_s = 0;  // on the wall clock; 0: until the holder ends
  std::uint64_t token = 0;
};
bool parse_mark(std::string_view text, Mark& to);
PathText format_mark(const Mark& from);

struct SeatSight {
  bool present = false;
  PathText text;
  Mark mark;
};
// An error when something that is no seat stands there.
Status look_at_seat(const Place& place, SeatSight& to);
bool over(const SeatSight& seat, const Instant& now, std::uint64_t boot, os::ProcessHandle* handle);

enum class Grip : std::uint8_t { held, busy };

// Never blocks. `own`: a mark no one has used. `by`: the process that acts, which may differ from
// own.being. `busy`: somebody has the seat, or is just removing an old one.
Result<Grip> take_seat(const Place& place, const Mark& own, const Being& by, const Instant& now);

// The right to remove the seat of that text.
struct Claim {
  PathText name;  // empty: not held
};
Result<Grip> claim_seat(const Place& place, std::string_view seat_text, const Being& by, Claim& to);
void drop_claim(Claim& claim);

// REQUIRES: the seat is ours and cannot be over, or its claim is held.
void leave_seat(const Place& place, const Mark& own);

}  // namespace atmost::symlink

#endif
