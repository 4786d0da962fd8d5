// The names around one lock link. docs/internals/symlink-locks.md explains each.
//
//   NAME                        the lock: ours and the original's
//   NAME.atmost                 the mutex: which of ours may touch NAME
//   NAME.atmost.HASH.K          the right, number K, to remove the mutex whose text has that hash
//   NAME.atmost.spare.PID.TOKEN a link on its way into NAME or out of it
//   NAME.DIGITS.DIGITS          what the original moved out of NAME
#ifndef ATMOST_STORE_SYMLINK_LOCK_NAMES_H
#define ATMOST_STORE_SYMLINK_LOCK_NAMES_H

#include <string_view>

#include "core/request.h"
#include "core/result.h"

namespace atmost::symlink {

struct LockNames {
  PathText name;
  PathText mutex;
  PathText directory;
  Text<255> base;  // NAME without directories
  Text<255> mutex_base;
};

// True if `path` can be a lock link: its other names are short enough, and it is not one of them
// itself.
Status locate(std::string_view path, LockNames& to);

PathText claim_name(const LockNames& names, std::string_view mutex_text, unsigned number);
PathText spare_name(const LockNames& names, std::int64_t pid, std::uint64_t token);

// The role of a name in the directory for this lock, if any.
enum class NameKind : std::uint8_t { none, leftover, claim, spare };
NameKind kind_of(const LockNames& names, std::string_view name);
// The hash of a mutex's text in the names of its rights; it shows which mutex a right belongs to.
bool claims_removal_of(const LockNames& names, std::string_view name, std::string_view mutex_text);

// "PATH: what: reason", with the code that belongs to the errno value.
Error failure(std::string_view path, int sys, std::string_view what);
Error failure(std::string_view path, Code code, std::string_view what);

}  // namespace atmost::symlink

#endif
