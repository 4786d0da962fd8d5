// The names around one lock link, and the text of the link. Pure: no file, no clock, no process.
// docs/internals/symlink-locks.md explains each name.
//
//   NAME                        the lock: ours and the original's
//   NAME.atmost                 the mutex: which of ours may touch NAME
//   NAME.atmost.HASH.K          the right, number K, to remove the mutex whose text has that hash
//   NAME.atmost.spare.PID.TOKEN a link on its way into NAME or out of it
//   NAME.DIGITS.DIGITS          what the original moved out of NAME
//
// The text of NAME is "pid=P time=EPOCH ttl=TTL psid=USER.GROUP.PPID.PGID id=TEXT", the format that
// the shell function lock_unlock reads and writes.
#ifndef ATMOST_STORE_SYMLINK_FORMAT_H
#define ATMOST_STORE_SYMLINK_FORMAT_H

#include <cstdint>
#include <string_view>

#include "core/request.h"
#include "core/result.h"
#include "core/text.h"

namespace atmost::symlink {

// The ttl that lock_unlock writes for "never expires" (about three years). atmost writes the same.
inline constexpr std::int64_t kNoExpiry = 99'999'999;

struct Target {
  std::int64_t pid = 0;     // 1…INT32_MAX
  std::int64_t time_s = 0;  // since 1970
  std::int64_t ttl_s = 0;
  Text<127> psid;  // as in the link; without blanks
  Text<63> id;     // decoded, cut when longer
  // The exact identity of the holder. Only atmost writes it, behind the id after a "=", which its
  // ids never contain.
  bool ours = false;
  std::int64_t start_ns = 0;  // the process's start on the boot clock; 0: not known
  std::uint64_t boot = 0;     // os::boot_hash(); 0: not known
  // the token of the admission; together with the process it makes the text of every link unique
  std::uint64_t token = 0;
};

// False unless `text` follows the format exactly: every number decimal, in range, without sign. The
// id may have any bytes.
bool parse_target(std::string_view text, Target& to);

// An id is written with everything but [A-Za-z0-9._+@,:/-] as %XX: the shell function evals parts
// of what ls prints. REQUIRES: psid without blanks or anything that a shell expands (mutex_link.h).
PathText format_target(const Target& from);

// The last two numbers of a psid; false if there are none (ps found no process).
bool parse_psid(std::string_view psid, std::int64_t& parent, std::int64_t& group);

// On the wall clock; Duration::kForever for kNoExpiry and when it lies beyond the clock's end.
std::int64_t expiry_ns(const Target& target);

// Takes a decimal number, at most `most`, off the front.
bool take_number(std::string_view& text, std::uint64_t most, std::uint64_t& to);
// Takes sixteen lower-case hexadecimal digits off the front.
bool take_hex(std::string_view& text, std::uint64_t& to);
bool take_word(std::string_view& text, std::string_view word);
void append_hex(PathText& to, std::uint64_t value);

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
