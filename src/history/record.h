// One line of the log, read back.
#ifndef ATMOST_HISTORY_RECORD_H
#define ATMOST_HISTORY_RECORD_H

#include <cstdint>
#include <string_view>

#include "core/event.h"

namespace atmost::history {

// Views point into the line that was read; texts are still escaped (unescape_json, value.h). What a
// line does not have is empty, kAbsent or false. Field names and meanings: docs/history-format.md.
struct Record {
  static constexpr std::int64_t kAbsent = INT64_MIN;
  static constexpr std::int64_t kNever = INT64_MAX;  // null where a time is expected

  Event::Kind kind = Event::Kind::admitted;
  std::string_view line;  // the whole object

  std::int64_t version = kAbsent;
  std::string_view event, time;
  std::int64_t at_ns = kAbsent;
  std::int64_t boot_ns = kAbsent;
  std::string_view host, lock, path, op, operand;
  std::int64_t max = kAbsent, take = kAbsent;
  std::string_view mode;
  std::int64_t slot = kAbsent;
  std::string_view slots;  // the array as it stands
  std::int64_t token = kAbsent;
  std::int64_t pid = kAbsent, uid = kAbsent;
  std::string_view id, command;
  std::string_view args;  // the array as it stands

  std::string_view why;
  std::int64_t retry_in_ns = kAbsent;
  std::int64_t held = kAbsent, waiters = kAbsent;
  std::int64_t waited_ns = kAbsent;
  std::string_view signal;
  bool worked = false;
  std::int64_t holder_pid = kAbsent, holder_token = kAbsent;
  std::int64_t age_ns = kAbsent, expire_after_ns = kAbsent;
  std::int64_t exit = kAbsent;
  bool core = false;
  bool started = true;
  std::string_view stopped;
  std::int64_t ran_ns = kAbsent, cpu_ns = kAbsent;
  std::int64_t peak_kib = kAbsent;
  bool cut = false;
};

enum class Reading : std::uint8_t {
  whole,    // a line as we write them
  behind,   // a good line behind the beginning of another one, which somebody could not finish
  foreign,  // none of ours: torn, of a format that is not known, or somebody else's
};

// `line` without its newline. `to` is filled unless the line is foreign. Fields not known are
// skipped, fields of an unexpected type are as if they were not there.
Reading read_line(std::string_view line, Record& to);

}  // namespace atmost::history

#endif
