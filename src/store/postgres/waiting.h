// The statements about places in a queue, which are rows.
#ifndef ATMOST_STORE_POSTGRES_WAITING_H
#define ATMOST_STORE_POSTGRES_WAITING_H

#include "connection.h"
#include "core/request.h"
#include "snapshot.h"

namespace atmost::postgres {

// Returns the ticket. `caller`: owner, host, boot, pid, uid, id, command.
Statement draw_place(const std::string& key, const Request& request, const LockSpec& spec,
                     const Instant& now, const std::string& clock, std::int32_t session,
                     const std::vector<Value>& caller);
// Adds the statement that shows others that we still wait, if it is due; `ticket`: our place, as in
// `snapshot`.
void add_sign_of_life(const std::string& key, std::uint64_t ticket, const Snapshot& snapshot,
                      std::vector<Statement>& to);
Statement leave_place(const std::string& key, std::uint64_t ticket);

}  // namespace atmost::postgres

#endif
