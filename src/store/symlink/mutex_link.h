// The mutex: a link that atmost processes use among themselves. The original does not know it and
// never touches it. Of all atmost processes, only the one that has the mutex changes NAME.
//
// A mutex is removed by its holder, or, when the holder has ended or its time is over, by the
// process that has the right to. Rights to one particular mutex are numbered links, too, each made
// in one step, and number K + 1 is tried only when the maker of number K has ended. A process with
// the right checks the mutex again before it uses the right. A mutex's text never comes again, so a
// late right to an old mutex finds that mutex gone. tests/model/ours.pml is this file as a model.
#ifndef ATMOST_STORE_SYMLINK_MUTEX_LINK_H
#define ATMOST_STORE_SYMLINK_MUTEX_LINK_H

#include <cstdint>

#include "core/result.h"
#include "core/time.h"
#include "format.h"
#include "process.h"

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
// An error if NAME.atmost is not a mutex.
Status look_at_mutex(const LockNames& names, MutexSnapshot& to);
bool over(const MutexSnapshot& mutex, const Instant& now, std::uint64_t boot,
          os::ProcessHandle* handle);

enum class TryLock : std::uint8_t { held, busy };

// Never blocks. `own`: a holder that was never used. `by`: the process that acts, which may differ
// from own.identity. `busy`: another process has the mutex, or is removing an old one.
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
