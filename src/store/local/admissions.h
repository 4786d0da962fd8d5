// The moments of the last admissions, for --rate: a ring in the lock file. The first admission of a
// caller with a rate makes it, with the last admission before as its first entry; from then on each
// admission is recorded, whoever's. Failures never make an admission look older than it is.
#ifndef ATMOST_STORE_LOCAL_ADMISSIONS_H
#define ATMOST_STORE_LOCAL_ADMISSIONS_H

#include <cstdint>

#include "core/time.h"
#include "lock_file.h"

namespace atmost::local {

// Entry `number` of the ring; not known: it is torn. REQUIRES: guarded.
Stamp admission_of(const LockFile& file, std::uint64_t number);

// Writes entry `number`. It is valid as soon as the header counts it, which is saved next.
// REQUIRES: guarded.
Status append_admission(LockFile& file, std::uint64_t number, const Stamp& at);

// Writes entries that the rule mends. REQUIRES: guarded.
void mend_admissions(LockFile& file, const Instant& now);

}  // namespace atmost::local

#endif
