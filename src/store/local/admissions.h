// The moments of the last admissions, for --rate: a ring in the lock file. The first admission of a
// caller with a rate makes it, with the last admission before as its first entry; from then on each
// admission is recorded, whoever's. Failures never make an admission look older than it is.
#ifndef ATMOST_STORE_LOCAL_ADMISSIONS_H
#define ATMOST_STORE_LOCAL_ADMISSIONS_H

#include <cstdint>

#include "core/time.h"
#include "lock_file.h"

namespace atmost::local {

// When the first of the last `count` admissions was (1…kMaxRate). If its entry is torn, the next
// one that can be read; not known: there were fewer. REQUIRES: guarded.
Stamp first_of_last(const LockFile& file, std::uint32_t count);

// Records one more, which the header must count when it is saved next: it is what makes the entry
// valid. Does nothing for a lock without a ring, unless `makes` it. REQUIRES: guarded, and
// header.start is still that of the admission before.
Status record_admission(LockFile& file, bool makes, const Instant& now);

// Sets entries that lie in the future to `now`, so that the windows that they close end. REQUIRES:
// guarded.
void bring_back(LockFile& file, const Instant& now);

}  // namespace atmost::local

#endif
