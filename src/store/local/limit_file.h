// The limit of record of a lock, in a file beside it. The lock file's sticky bit shows that there
// is one: only its owner and root can change that bit, and a caller reads it under the guard in any
// case. The record is the owner's or root's, too, and nobody else may write it.
#ifndef ATMOST_STORE_LOCAL_LIMIT_FILE_H
#define ATMOST_STORE_LOCAL_LIMIT_FILE_H

#include <span>

#include "limit.h"
#include "lock_file.h"

namespace atmost::local {

// Memory for the texts of a session: the first lock's, whose names its command may get, and those
// of the others, one after another.
struct LimitRoom {
  char texts[2][kLimitMost + 1];
};

// `limited`: there is one. Fails (Code::io) if the bit is set and there is no valid record: no
// caller may be admitted then. The names are borrowed from `room`.
Status read_limit(LockFile& file, std::span<char> room, RecordedLimit& to, bool& limited);

// Changes it, and fills `change.from` and `change.to`. Fails for users other than the lock's owner
// and root. If it fails, the limit before holds. REQUIRES: guarded.
Status edit_limit(LockFile& file, const LimitChange& change, LimitRoom& room);

}  // namespace atmost::local

#endif
