// The names around one lock link. docs/symlink-locks.md tells what each is for.
//
//   NAME                        the lock: ours and the original's
//   NAME.atmost                 the seat: which of ours may touch NAME
//   NAME.atmost.HASH.K          the right, number K, to remove the seat whose text has that hash
//   NAME.atmost.spare.PID.TOKEN a link on its way into NAME or out of it
//   NAME.DIGITS.DIGITS          what the original moved out of NAME
#ifndef ATMOST_STORE_SYMLINK_PLACE_H
#define ATMOST_STORE_SYMLINK_PLACE_H

#include <string_view>

#include "core/request.h"
#include "core/result.h"

namespace atmost::symlink {

struct Place {
  PathText name;
  PathText seat;
  PathText directory;
  Text<255> base;  // NAME without directories
  Text<255> seat_base;
};

// Whether `path` can be a lock link: its own names fit behind it, and it is none of them itself.
Status locate(const PathText& path, Place& to);

PathText claim_name(const Place& place, std::string_view seat_text, unsigned number);
PathText spare_name(const Place& place, std::int64_t pid, std::uint64_t token);

// What a name of the directory is to this lock, if anything.
enum class Kin : std::uint8_t { none, leftover, claim, spare };
Kin kin_of(const Place& place, std::string_view name);
// The hash in the claims of a seat's text, for telling those of one seat.
bool claims_seat(const Place& place, std::string_view name, std::string_view seat_text);

// "PATH: what: reason", with the code that belongs to the errno value.
Error failure(const PathText& path, int sys, std::string_view what);
Error failure(const PathText& path, Code code, std::string_view what);

}  // namespace atmost::symlink

#endif
