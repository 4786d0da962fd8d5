// The statements about places in a queue, which are rows.
#ifndef ATMOST_STORE_POSTGRES_WAITING_H
#define ATMOST_STORE_POSTGRES_WAITING_H

#include "client.h"
#include "core/request.h"
#include "facts.h"

namespace atmost::postgres {

// The part of a place that others read, and that changes.
struct PlaceNote {
  Micros due = 0;       // until then its rate does not allow the caller; 0: it has none
  bool parked = false;  // it waits for something else than this lock
};

// Returns the ticket. For --on-busy=supersede, the waiters that say so too are replaced, and
// notified.
Statement draw_place(const LockFacts& lock, const Request& request, const Client& client,
                     const PlaceNote& note);
Statement note_place(const std::string& key, std::uint64_t ticket, const PlaceNote& note);
// A turn that begins wakes its waiter, and counts from when it is written, as others could not
// decide before.
Statement note_turn(const LockFacts& lock, const LockFacts::Note& note, const std::string& clock);
Statement leave_place(const std::string& key, const ClientId& client);

}  // namespace atmost::postgres

#endif
