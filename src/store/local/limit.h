// The text of a limit of record, which lies beside its lock file (limit_file.h):
//
//   atmost limit 1
//   lock NAME          the name of the lock file: NAME.lock and NAME have one record
//   max N
//   rate K NS          at most K admissions in any NS nanoseconds; up to kMostRates such lines
//   names A,B,C        if the slots have names
//   end
#ifndef ATMOST_STORE_LOCAL_LIMIT_H
#define ATMOST_STORE_LOCAL_LIMIT_H

#include <cstddef>
#include <span>
#include <string_view>

#include "core/request.h"
#include "core/result.h"
#include "core/session.h"

namespace atmost::local {

// The most bytes of a record.
inline constexpr std::size_t kLimitMost = 32 * 1024;

// False for any text that format_limit() does not make for the lock file `lock` (without its
// directory). The names are borrowed from the text.
bool parse_limit(std::string_view text, std::string_view lock, RecordedLimit& to);

// Returns the number of bytes; 0: there is not enough memory in `to`, or the lock's name cannot
// stand in a line.
std::size_t format_limit(const RecordedLimit& limit, std::string_view lock, std::span<char> to);

// The limit `to` that the change makes of `before` (max 0: there was none, or is none any more).
// Usage error if it cannot be.
Status change_limit(const RecordedLimit& before, const LimitChange& change, RecordedLimit& to);

}  // namespace atmost::local

#endif
