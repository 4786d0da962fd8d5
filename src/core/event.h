// An event of the history (docs/monitoring.md, "The log"): one Event is one line. kEventFields is
// the only list of its fields: the writer (history/line.cc) and the reader
// (libexec/reader/record.h) go through it, and a name that it does not have does not compile.
#ifndef ATMOST_EVENT_H
#define ATMOST_EVENT_H

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/time.h"

namespace atmost {

enum class FieldType : std::uint8_t {
  text,     // any bytes
  number,   // whole
  time,     // nanoseconds; written as seconds with six digits behind the point, forever as null
  flag,     // true or false
  moment,   // nanoseconds since 1970; written as a date in UTC
  signal,   // its number; written as its name
  numbers,  // an array
  texts,    // an array; a list that ends with a null
};

struct EventField {
  std::string_view name;
  FieldType type;
};

// In the order in which they are written.
// clang-format off
inline constexpr EventField kEventFields[] = {
    {"v", FieldType::number},
    {"event", FieldType::text},
    {"time", FieldType::moment},
    {"at", FieldType::time},
    {"boot_s", FieldType::time},
    {"host", FieldType::text},
    {"lock", FieldType::text},
    {"path", FieldType::text},
    {"operator", FieldType::text},
    {"operand", FieldType::text},
    {"max", FieldType::number},
    {"take", FieldType::number},
    {"mode", FieldType::text},
    {"slot", FieldType::number},
    {"slots", FieldType::numbers},
    {"token", FieldType::number},
    {"pid", FieldType::number},
    {"uid", FieldType::number},
    {"id", FieldType::text},
    {"command", FieldType::text},
    {"args", FieldType::texts},
    {"from", FieldType::text},
    {"to", FieldType::text},
    {"why", FieldType::text},
    {"retry_in_s", FieldType::time},
    {"held", FieldType::number},
    {"waiters", FieldType::number},
    {"signal", FieldType::signal},
    {"worked", FieldType::flag},
    {"process", FieldType::number},
    {"process_uid", FieldType::number},
    {"holder_pid", FieldType::number},
    {"holder_token", FieldType::number},
    {"age_s", FieldType::time},
    {"expire_after_s", FieldType::time},
    {"exit", FieldType::number},
    {"core", FieldType::flag},
    {"started", FieldType::flag},
    {"stopped", FieldType::text},
    {"too_fast", FieldType::flag},
    {"suspicious", FieldType::flag},
    {"waited_s", FieldType::time},
    {"ran_s", FieldType::time},
    {"cpu_s", FieldType::time},
    {"peak_kib", FieldType::number},
    {"cut", FieldType::flag},  // by the writer itself
};
// clang-format on
inline constexpr std::size_t kEventFieldCount = sizeof kEventFields / sizeof kEventFields[0];

// A field's index in the table, made from its name when it is compiled.
template <FieldType... types>
struct FieldName {
  consteval FieldName(const char* name) : index(0) {
    while (kEventFields[index].name != name) ++index;  // behind the end: does not compile
    if (!((kEventFields[index].type == types) || ...)) has_another_type();
  }
  std::size_t index;

 private:
  static void has_another_type();  // not constexpr: a call does not compile
};
using TextField = FieldName<FieldType::text>;
using NumberField = FieldName<FieldType::number>;
using TimeField = FieldName<FieldType::time>;
using FlagField = FieldName<FieldType::flag>;

// The values of some fields. All text and lists are borrowed.
struct EventValues {
  union Value {
    constexpr Value() : number(0) {}
    constexpr Value(std::int64_t value) : number(value) {}
    constexpr Value(std::string_view value) : text(value) {}
    constexpr Value(std::span<const std::uint32_t> value) : numbers(value) {}
    constexpr Value(char* const* value) : texts(value) {}

    std::int64_t number;  // number, time, flag, moment, signal
    std::string_view text;
    std::span<const std::uint32_t> numbers;
    char* const* texts;
  };
  std::uint64_t given = 0;  // a bit for each field
  Value values[kEventFieldCount];

  bool has(std::size_t field) const { return (given >> field & 1) != 0; }
  void set(std::size_t field, const Value& value, bool is_given = true) {
    const std::uint64_t bit = std::uint64_t{1} << field;
    given = is_given ? given | bit : given & ~bit;
    values[field] = value;
  }
};
static_assert(kEventFieldCount <= 64);

// Borrowed texts must stay valid until the event is appended. A field that is not given is left out
// of the line.
class Event : public EventValues {
 public:
  enum class Kind : std::uint8_t {
    admitted,   // slots were taken; the command is about to start
    denied,     // refused: too soon or busy, and the caller went away
    expired,    // a holder was found overdue, and is going to be stopped
    signalled,  // a holder was sent a signal
    ended,      // the command ended, or could not be started
    lost,       // the lock was lost or taken over while the command ran
    stopping,   // a holder that is not overdue is going to be stopped: replaced, or by atmost kill
    vanished,   // the previous holder was killed together with its supervisor, so its end was not
                // logged
    undelivered,  // a message about a run was not delivered
    unreached,    // a process that was to be stopped may not be signalled
    limited,      // the limit of record was changed, from one to another
  };
  static constexpr std::string_view kKinds[] = {"admitted",    "denied",    "expired",  "signalled",
                                                "ended",       "lost",      "stopping", "vanished",
                                                "undelivered", "unreached", "limited"};
  static constexpr int kVersion = 1;

  // `when`: from the machine's clocks, never --now.
  void begin(Kind kind, const Instant& when) {
    given = 0;
    number("v", kVersion).text("event", kKinds[static_cast<unsigned>(kind)]);
    put(FieldName<FieldType::moment>("time").index, when.real_ns);
    time("at", {when.real_ns}).time("boot_s", {when.boot_ns});
  }

  // Empty texts and arrays are left out.
  Event& text(TextField field, std::string_view value) {
    return put(field.index, value, !value.empty());
  }
  template <std::integral Number>
  Event& number(NumberField field, Number value) {
    return put(field.index, static_cast<std::int64_t>(value));
  }
  Event& time(TimeField field, Duration value) { return put(field.index, value.ns); }
  Event& flag(FlagField field, bool value) { return put(field.index, std::int64_t{value}); }
  Event& signal(FieldName<FieldType::signal> field, int value) {
    return put(field.index, std::int64_t{value});
  }
  Event& numbers(FieldName<FieldType::numbers> field, std::span<const std::uint32_t> value) {
    return put(field.index, value, !value.empty());
  }
  Event& texts(FieldName<FieldType::texts> field, char* const* value) {
    return put(field.index, value, value != nullptr);
  }
  // The same, but 0, negative numbers, false and forever, which mean "not known" or "no", are left
  // out.
  template <std::integral Number>
  Event& known(NumberField field, Number value) {
    return put(field.index, static_cast<std::int64_t>(value), value > 0);
  }
  Event& known(TimeField field, Duration value) {
    return put(field.index, value.ns, !value.is_forever());
  }
  Event& known(FlagField field, bool value) { return put(field.index, std::int64_t{value}, value); }

 private:
  Event& put(std::size_t field, const Value& value, bool is_given = true) {
    set(field, value, is_given);
    return *this;
  }
};

}  // namespace atmost

#endif
