// The text of a lock link: "pid=P time=EPOCH ttl=TTL psid=USER.GROUP.PPID.PGID id=TEXT", the format
// that the shell function lock_unlock reads and writes. Pure: no file, no clock, no process.
#ifndef ATMOST_STORE_SYMLINK_TARGET_H
#define ATMOST_STORE_SYMLINK_TARGET_H

#include <cstdint>
#include <string_view>

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
// of what ls prints. REQUIRES: psid without blanks or anything that a shell expands (ps_name.h).
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

}  // namespace atmost::symlink

#endif
