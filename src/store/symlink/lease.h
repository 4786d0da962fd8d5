// The end of a hold.
#ifndef ATMOST_STORE_SYMLINK_LEASE_H
#define ATMOST_STORE_SYMLINK_LEASE_H

#include <cstdint>

#include "core/text.h"
#include "lock_names.h"
#include "mutex_link.h"

namespace atmost::symlink {

// Removes the lock link of that text and its mutex link. Leaves links alone that another process
// has since put in their place. `boot`: this boot's hash. Failures are not reported: a link that
// stays names a holder that has ended or will end.
void remove_lock(const LockNames& names, const MutexText& mutex, const PathText& text,
                 std::uint64_t boot);

}  // namespace atmost::symlink

#endif
