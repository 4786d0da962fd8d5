// The mutex: a link that is to ours among ourselves what the lock is to everybody. The original
// does not know it, so it never touches it: whoever has the mutex is alone with NAME, as far as
// ours are concerned.
//
// A mutex is removed by its holder, or, when the holder has ended or its time is over, by who has
// the right to: rights to one particular mutex are links too, numbered, made in one step, and
// number K + 1 is asked for only when the maker of number K has ended. Who has the right looks
// again before using it. A mutex's text never comes again, so a late right to an old mutex finds
// that mutex gone. tests/model/ours.pml is this file as a model.
#ifndef ATMOST_STORE_SYMLINK_MUTEX_LINK_H
#define ATMOST_STORE_SYMLINK_MUTEX_LINK_H

#include <cstdint>

#include "core/result.h"
#include "core/time.h"
#include "lock_names.h"
#include "process_identity.h"

namespace atmost::symlink {

// The text of mutex links and rights: "pid=P start=NS boot=HEX until=EPOCH token=HEX".
struct MutexText {
  ProcessIdentity identity;
  std::int64_t until_s = 0;  // on the wall clock; 0: until the holder ends
  std::uint64_t token = 0;
};
bool parse_mutex(std::string_view text, MutexText& to);
PathText format_mutex(const MutexText& from);

struct MutexSnapshot {
  bool present = false;
  PathText text;
  MutexText holder;
};
// An error when something that is no mutex stands there.
Status look_at_mutex(const LockNames& names, MutexSnapshot& to);
bool over(const MutexSnapshot& mutex, const Instant& now, std::uint64_t boot,
          os::ProcessHandle* handle);

enum class TryLock : std::uint8_t { held, busy };

// Never blocks. `own`: a holder no one has used. `by`: the process that acts, which may differ from
// own.identity. `busy`: somebody has the mutex, or is just removing an old one.
Result<TryLock> take_mutex(const LockNames& names, const MutexText& own, const ProcessIdentity& by,
                           const Instant& now);

// The right to remove the mutex of that text.
struct Claim {
  PathText name;  // empty: not held
};
Result<TryLock> claim_removal(const LockNames& names, std::string_view mutex_text,
                              const ProcessIdentity& by, Claim& to);
void drop_claim(Claim& claim);

// REQUIRES: the mutex is ours and cannot be over, or its claim is held.
void leave_mutex(const LockNames& names, const MutexText& own);

}  // namespace atmost::symlink

#endif
