// A place in a queue is a row; these are the statements about it.
#ifndef ATMOST_STORE_POSTGRES_WAITING_H
#define ATMOST_STORE_POSTGRES_WAITING_H

#include "atmost/request.h"
#include "link.h"

namespace atmost::postgres {

// Answers the ticket. `caller`: owner, host, boot, pid, uid, id, command.
Statement draw_place(const std::string& key, const Request& request, const LockSpec& spec, const Instant& now,
                     const std::string& clock, std::int32_t session, const std::vector<Value>& caller);
Statement leave_place(const std::string& key, std::uint64_t ticket);

}  // namespace atmost::postgres

#endif
