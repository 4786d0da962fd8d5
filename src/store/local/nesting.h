// Whether waiting for a lock would be waiting for ourselves.
#ifndef ATMOST_STORE_LOCAL_NESTING_H
#define ATMOST_STORE_LOCAL_NESTING_H

#include "core/request.h"
#include "lock_file.h"

namespace atmost::local {

// True when so many slots of the file are held by this process's ancestors, or through descriptors
// that it inherited, that spec.take can never be had while they run; one is enough when either side
// is exclusive. The kernel's own lists decide (/proc/self/fdinfo), then the holders' records
// together with the chain of parents. Of slots that are kept for a process (atmost hold) those of
// request.kept_for count.
bool own_tree_blocks(LockFile& file, const LockSpec& spec, const Request& request);

}  // namespace atmost::local

#endif
