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
#include <string_view>

#include "core/result.h"
#include "core/text.h"
#include "core/time.h"
#include "format.h"
#include "os/process.h"

namespace atmost::symlink {

// One process: its number, when it began, and its psid: the user, group, parent and process group
// that lock_unlock gets from ps.

struct ProcessIdentity {
  std::int64_t pid = 0;
  std::int64_t start_ns = 0;  // on the boot clock; 0: not known
  std::uint64_t boot = 0;     // os::boot_hash() of its boot; 0: not known
};

// `boot`: this boot's.
ProcessIdentity identity_of(std::int64_t pid, std::uint64_t boot);

// False only when it is certain that this very process has ended; a zombie has. `handle`, if any,
// is opened where there are such handles.
bool lives(const ProcessIdentity& identity, std::uint64_t boot, os::ProcessHandle* handle);

// The text that `LC_ALL=C ps -o user=` of procps 4 prints for an account (tried with 4.0.2, in a
// column that is not the last): its number when it has no name or one of 33 bytes or more; every
// byte outside of printable ASCII as "?"; and of more than 8 bytes, numbers too, the first 7 and a
// "+".
Text<8> ps_name(std::string_view name, std::uint32_t number);

// An error when the process cannot be seen, or when its user or group is called something that a
// shell would expand.
Result<Text<127>> psid_of(std::int64_t pid);

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
