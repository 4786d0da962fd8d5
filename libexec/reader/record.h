// One line of the log, read back.
#ifndef ATMOST_LIBEXEC_READER_RECORD_H
#define ATMOST_LIBEXEC_READER_RECORD_H

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

  std::string_view to;
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
  bool too_fast = false, suspicious = false;
  std::int64_t ran_ns = kAbsent, cpu_ns = kAbsent;
  std::int64_t peak_kib = kAbsent;
  bool cut = false;
};

// Where each field goes.
enum class FieldType : std::uint8_t { text, whole, time, flag, array };

struct RecordField {
  std::string_view name;
  FieldType type;
  std::string_view Record::*text = nullptr;
  std::int64_t Record::*number = nullptr;
  bool Record::*flag = nullptr;
};

constexpr RecordField text_field(std::string_view name, std::string_view Record::*at) {
  return {name, FieldType::text, at, nullptr, nullptr};
}
constexpr RecordField array_field(std::string_view name, std::string_view Record::*at) {
  return {name, FieldType::array, at, nullptr, nullptr};
}
constexpr RecordField whole_field(std::string_view name, std::int64_t Record::*at) {
  return {name, FieldType::whole, nullptr, at, nullptr};
}
constexpr RecordField time_field(std::string_view name, std::int64_t Record::*at) {
  return {name, FieldType::time, nullptr, at, nullptr};
}
constexpr RecordField flag_field(std::string_view name, bool Record::*at) {
  return {name, FieldType::flag, nullptr, nullptr, at};
}

// In the order they are written in, so that each is found next to the one before.
inline constexpr RecordField kRecordFields[] = {
    whole_field(field::kVersion, &Record::version),
    text_field(field::kEvent, &Record::event),
    text_field(field::kTime, &Record::time),
    time_field(field::kAt, &Record::at_ns),
    time_field(field::kBootS, &Record::boot_ns),
    text_field(field::kHost, &Record::host),
    text_field(field::kLock, &Record::lock),
    text_field(field::kPath, &Record::path),
    text_field(field::kOperator, &Record::op),
    text_field(field::kOperand, &Record::operand),
    whole_field(field::kMax, &Record::max),
    whole_field(field::kTake, &Record::take),
    text_field(field::kMode, &Record::mode),
    whole_field(field::kSlot, &Record::slot),
    array_field(field::kSlots, &Record::slots),
    whole_field(field::kToken, &Record::token),
    whole_field(field::kPid, &Record::pid),
    whole_field(field::kUid, &Record::uid),
    text_field(field::kId, &Record::id),
    text_field(field::kCommand, &Record::command),
    array_field(field::kArgs, &Record::args),
    text_field(field::kTo, &Record::to),
    text_field(field::kWhy, &Record::why),
    time_field(field::kRetryInS, &Record::retry_in_ns),
    whole_field(field::kHeld, &Record::held),
    whole_field(field::kWaiters, &Record::waiters),
    text_field(field::kSignal, &Record::signal),
    flag_field(field::kWorked, &Record::worked),
    whole_field(field::kHolderPid, &Record::holder_pid),
    whole_field(field::kHolderToken, &Record::holder_token),
    time_field(field::kAgeS, &Record::age_ns),
    time_field(field::kExpireAfterS, &Record::expire_after_ns),
    whole_field(field::kExit, &Record::exit),
    flag_field(field::kCore, &Record::core),
    flag_field(field::kStarted, &Record::started),
    text_field(field::kStopped, &Record::stopped),
    flag_field(field::kTooFast, &Record::too_fast),
    flag_field(field::kSuspicious, &Record::suspicious),
    time_field(field::kWaitedS, &Record::waited_ns),
    time_field(field::kRanS, &Record::ran_ns),
    time_field(field::kCpuS, &Record::cpu_ns),
    whole_field(field::kPeakKib, &Record::peak_kib),
    flag_field(field::kCut, &Record::cut),
};
enum class Reading : std::uint8_t {
  whole,    // a line as we write them
  behind,   // a good line behind the beginning of another one, which its writer could not finish
  foreign,  // none of ours: torn, of a format that is not known, or another program's
};

// `line` without its newline. `to` is filled unless the line is foreign. Fields not known are
// skipped, fields of an unexpected type are as if they were not there.
Reading read_line(std::string_view line, Record& to);

}  // namespace atmost::history

#endif
