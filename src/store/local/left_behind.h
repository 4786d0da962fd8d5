// Who keeps a slot after the process of its record has ended: what it left behind with the slot's
// descriptor.
#ifndef ATMOST_STORE_LOCAL_LEFT_BEHIND_H
#define ATMOST_STORE_LOCAL_LEFT_BEHIND_H

#include "core/view.h"
#include "lock_file.h"

namespace atmost::local {

// Where the record's process has ended, puts a process that has the slot locked in its place: to
// show, not to signal. Nobody seen: left as it is. `gathered`: whether an earlier call for this
// file has looked through all processes already, which takes milliseconds and happens only for such
// a slot. Not thread-safe.
void name_who_is_left(const LockFile& file, HolderView& holder, bool& gathered);

}  // namespace atmost::local

#endif
