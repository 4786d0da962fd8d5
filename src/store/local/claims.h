// Who has the better claim to what is free: the waiters that came first, each for the time of its
// turn.
#ifndef ATMOST_STORE_LOCAL_CLAIMS_H
#define ATMOST_STORE_LOCAL_CLAIMS_H

#include <cstdint>

#include "lock_file.h"
#include "slot_search.h"
#include "slots.h"

namespace atmost::local {

// Of a caller for which there is room: whether that is owed to waiters in front of it, and until
// when. Begins the turn of the first of them that had none, and ends those that were not used: both
// are written into their records, once each. `search` reserves more slots as they are needed for an
// answer; null for an exclusive caller, whose room is everything. REQUIRES: file.guarded(),
// to.room.
Status settle_claims(LockFile& file, const LockSpec& spec, os::Owner owner, const Seeker& seeker,
                     Search* search, Reservation& to);

}  // namespace atmost::local

#endif
