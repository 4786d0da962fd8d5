// What an admission writes.
#ifndef ATMOST_STORE_POSTGRES_ADMISSION_H
#define ATMOST_STORE_POSTGRES_ADMISSION_H

#include <vector>

#include "client.h"

namespace atmost::postgres {

// Whatever a caller writes, from its first look to its end, in a transaction that is taken back:
// for the doctor.
std::vector<Statement> rehearsal(const Client& client);
// Notes the era, if the snapshot shows that it is a new one, and the longest lease.
void add_era(std::vector<Statement>& to, const struct Snapshot& snapshot, Duration ttl);

}  // namespace atmost::postgres

#endif
