// Putting our link under NAME and taking it away again, where the original may do the same at any
// moment. REQUIRES, for both: the mutex is held. tests/model/mixed.pml is this file as a model.
#ifndef ATMOST_STORE_SYMLINK_LINK_H
#define ATMOST_STORE_SYMLINK_LINK_H

#include <cstdint>

#include "core/result.h"
#include "lock_names.h"
#include "mutex_link.h"
#include "snapshot.h"

namespace atmost::symlink {

// Never blocks. `spare`: a name that no process uses. `text`: a target that was never used; `boot`:
// this boot's hash. A link whose lock is over is exchanged for ours in one step; only then is it
// examined, and if it is not the one that was found to be over, the two are exchanged back. So NAME
// is never empty meanwhile, and no process loses its lock because a different link was examined.
// Where names cannot be exchanged, the old link is moved away, examined, and put back if necessary:
// then NAME is free for a moment, as with the original.
Result<TryLock> take_link(const LockNames& names, const PathText& spare, const PathText& text,
                          const Instant& now, std::uint64_t boot);

// Removes the link under NAME if its text is `text`; any other stays.
void leave_link(const LockNames& names, const PathText& spare, const PathText& text);

// Removes links that the original has moved aside and links that atmost processes left when they
// were killed. `mutex_text`: the text of our mutex, whose rights stay.
void sweep(const LockNames& names, std::string_view mutex_text, const Instant& now,
           std::uint64_t boot);

}  // namespace atmost::symlink

#endif
