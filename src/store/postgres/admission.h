// The statements of an admission.
#ifndef ATMOST_STORE_POSTGRES_ADMISSION_H
#define ATMOST_STORE_POSTGRES_ADMISSION_H

#include <vector>

#include "client.h"

namespace atmost::postgres {

// All statements of a caller, from its first look to its end, in a transaction that is rolled back:
// for the doctor.
std::vector<Statement> rehearsal(const Client& client);
// Notes the era, if the snapshot shows that it is a new one, and the longest lease.
void add_era(std::vector<Statement>& to, const struct Snapshot& snapshot, Duration ttl);

}  // namespace atmost::postgres

#endif
