// The statements about places in a queue, which are rows.
#ifndef ATMOST_STORE_POSTGRES_WAITING_H
#define ATMOST_STORE_POSTGRES_WAITING_H

#include "connection.h"
#include "core/request.h"
#include "snapshot.h"

namespace atmost::postgres {

// Returns the ticket. `due`: until then its rate does not allow the caller; 0: it has none.
// `caller`: owner, host, boot, pid, uid, id, command.
Statement draw_place(const std::string& key, const Request& request, const LockSpec& spec,
                     const Instant& now, const std::string& clock, std::int32_t session, Micros due,
                     const std::vector<Value>& caller);
// For --on-busy=supersede, behind draw_place(): those that say so too and came before are replaced.
Statement supersede_older(const std::string& key, const ClientId& client);
// The place says until when its rate does not allow it; 0: it has none.
Statement note_due(const std::string& key, std::uint64_t ticket, Micros due);
// Adds the statement that shows others that we still wait, if it is due; `ticket`: our place, as in
// `snapshot`.
void add_sign_of_life(const std::string& key, std::uint64_t ticket, const Snapshot& snapshot,
                      std::vector<Statement>& to);
Statement leave_place(const std::string& key, std::uint64_t ticket, const ClientId& client);

}  // namespace atmost::postgres

#endif
