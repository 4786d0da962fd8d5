// For explain.cc, explain_locks.cc and explain_hints.cc: what the parts of an explanation share.
#ifndef ATMOST_STORE_LOCAL_EXPLANATION_H
#define ATMOST_STORE_LOCAL_EXPLANATION_H

#include <cstdint>

#include "core/time.h"
#include "hints.h"
#include "holdings.h"
#include "report.h"

namespace atmost::local {

// Where hints and locks do not fit together; told at the end.
class Contradictions {
 public:
  // "SUBJECT NUMBER: TEXT"
  void add(std::string_view subject, std::uint64_t number, std::string_view text);
  void tell(Report& out) const;

 private:
  static constexpr std::uint32_t kMost = 40;
  Text<240> entries_[kMost];
  std::uint32_t count_ = 0;
};

// About 600 KiB, all zeros until it is filled: static.
struct Explanation {
  int fd = 0;  // of the lock file, read only
  std::int64_t size = 0;
  Identity identity;
  Instant now;
  std::uint64_t index = 0;
  Header header = {};
  HeaderState state = HeaderState::fresh;
  Holdings holdings;
  Contradictions contradictions;
  std::uint32_t highest_held = 0;
  std::uint8_t held[kMaxSlots / 8] = {};  // a bit for each slot that somebody has locked

  bool is_held(std::uint32_t slot) const {
    return (held[(slot - 1) / 8] >> ((slot - 1) % 8) & 1) != 0;
  }
  void mark_held(std::uint32_t slot) {
    held[(slot - 1) / 8] = static_cast<std::uint8_t>(held[(slot - 1) / 8] | 1u << ((slot - 1) % 8));
    if (slot > highest_held) highest_held = slot;
  }
  bool words_count() const {
    return state == HeaderState::good && header.boot == identity.boot && identity.boot != 0;
  }
};

// Errno values.
int explain_locks(Explanation& about, Report& out);
int explain_hints(Explanation& about, Report& out);

}  // namespace atmost::local

#endif
