// Stopping a holder whose process may run on another machine: no signal reaches it.
#ifndef ATMOST_STORE_LOCAL_ASK_HOLDER_H
#define ATMOST_STORE_LOCAL_ASK_HOLDER_H

#include <cstdint>

#include "core/holder_stop.h"
#include "lock_file.h"

namespace atmost::local {

// One step towards the end of the hold `hold` of `slot`. From `interrupt` on, the holder is asked
// to stop, by a lock on the byte beside its slot: it looks there about once a second, wherever it
// runs. The request ends with that lock. No signal is ever sent, also not to a process of this
// machine. A holder that does not renew a lease (the original exectimes, a lock taken by file:)
// asks nobody: unprovable. REQUIRES: guarded; a file that several machines use.
SignalResult ask_holder(LockFile& file, std::uint32_t slot, std::uint64_t hold, SignalStep step);

}  // namespace atmost::local

#endif
