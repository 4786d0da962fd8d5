#include "line.h"

#include <cstdint>
#include <string_view>

#include "core/json_line.h"
#include "names.h"

namespace atmost::history {
namespace {

// How much of the line each text may fill, escaped. Together with 1024 slots of six digits, the
// numbers and the field names (under 1 KiB) they sum up to less than kMaxLine, so that the line
// needs no other check of its length.
constexpr std::size_t kHostRoom = 512;
constexpr std::size_t kNameRoom = 1536;  // a name of 255 bytes, each of them escaped
constexpr std::size_t kPathRoom = 4608;
constexpr std::size_t kLabelRoom = 384;  // id and command
constexpr std::size_t kArgumentsRoom = 4096;

void put_text(JsonLine& line, std::string_view name, std::string_view value, std::size_t room) {
  if (!value.empty()) line.text(name, value, room);
}

void put_known(JsonLine& line, std::string_view name, std::int64_t value) {
  if (value > 0) line.number(name, static_cast<std::uint64_t>(value));
}

void put_arguments(JsonLine& line, char* const* argv) {
  constexpr std::size_t kQuotesAndComma = 3;
  std::size_t room = kArgumentsRoom;
  line.key(field::kArgs);
  line.put("[");
  for (char* const* one = argv; *one != nullptr; ++one) {
    if (room < kQuotesAndComma) {
      line.cut_here();
      break;
    }
    if (one != argv) line.put(",");
    room -= kQuotesAndComma;
    room -= line.string(*one, room);
    if (line.cut() && room < 6) break;
  }
  line.put("]");
}

void put_times(JsonLine& line, const Instant& at) {
  line.word(field::kTime, utc_words(at.real_ns));
  line.micros(field::kAt, at.real_ns);
  line.micros(field::kBootS, at.boot_ns);
}

void put_lock(JsonLine& line, const Event& event) {
  put_text(line, field::kLock, event.lock, kNameRoom);
  put_text(line, field::kPath, event.path, kPathRoom);
  put_text(line, field::kOperator, event.op, kNameRoom);
  put_text(line, field::kOperand, event.operand, kNameRoom);
  line.number(field::kMax, event.max);
  line.number(field::kTake, event.take);
  if (event.mode != Mode::plain) line.word(field::kMode, name_of(kModeNames, event.mode));
  if (!event.slots.empty()) line.number(field::kSlot, event.slots[0]);
  if (event.slots.size() > 1) {
    line.key(field::kSlots);
    line.put("[");
    for (std::size_t i = 0; i < event.slots.size() && i < kMaxTake; ++i) {
      if (i > 0) line.put(",");
      line.digits(event.slots[i]);
    }
    line.put("]");
  }
  if (event.token != 0) line.number(field::kToken, event.token);
}

void put_caller(JsonLine& line, const Event& event) {
  put_known(line, field::kPid, event.pid);
  line.number(field::kUid, event.uid);
  put_text(line, field::kId, event.id, kLabelRoom);
  put_text(line, field::kCommand, event.command, kLabelRoom);
  if (event.arguments != nullptr) put_arguments(line, event.arguments);
}

void put_denied(JsonLine& line, const Event& event) {
  const Event::Denied& denied = event.denied;
  line.word(field::kWhy,
            denied.verdict == Verdict::too_soon ? "too_soon" : name_of(kWhyNames, denied.why));
  line.micros(field::kRetryInS, denied.retry_in.ns);
  line.number(field::kHeld, denied.held);
  line.number(field::kWaiters, denied.waiters);
  line.micros(field::kWaitedS, event.waited.ns);
}

void put_holder(JsonLine& line, const Event::Holder& holder) {
  put_known(line, field::kHolderPid, holder.pid);
  if (holder.token != 0) line.number(field::kHolderToken, holder.token);
  if (!holder.age.is_forever()) line.micros(field::kAgeS, holder.age.ns);
  if (!holder.expire_after.is_forever()) line.micros(field::kExpireAfterS, holder.expire_after.ns);
}

void put_ended(JsonLine& line, const Event& event) {
  const Event::Ended& ended = event.ended;
  if (ended.not_started != Code::ok) {
    line.number(field::kExit, static_cast<std::uint64_t>(ended.not_started));
    line.truth(field::kStarted, false);
    return;
  }
  if (ended.status.signal != 0) {
    line.word(field::kSignal, signal_name(ended.status.signal));
    if (ended.status.core_dumped) line.truth(field::kCore, true);
  } else {
    line.number(field::kExit, static_cast<std::uint64_t>(ended.status.code));
  }
  if (ended.stopped != Stopped::no)
    line.word(field::kStopped, name_of(kStoppedNames, ended.stopped));
  if (ended.too_fast) line.truth(field::kTooFast, true);
  if (ended.suspicious) line.truth(field::kSuspicious, true);
  line.micros(field::kWaitedS, event.waited.ns);
  line.micros(field::kRanS, ended.ran.ns);
  if (!ended.usage.known) return;
  line.micros(field::kCpuS, ended.usage.cpu_ns);
  line.number(field::kPeakKib, static_cast<std::uint64_t>(ended.usage.peak_kib));
}

}  // namespace

std::size_t most_bytes(const Event& event) {
  constexpr std::size_t kNumbersAndNames = 1024;
  constexpr std::size_t kSlot = 7;
  constexpr std::size_t kEscaped = 6;
  std::size_t texts = event.host.size() + event.lock.size() + event.path.size() + event.op.size() +
                      event.operand.size() + event.id.size() + event.command.size();
  for (char* const* one = event.arguments; one != nullptr && *one != nullptr; ++one)
    texts += std::strlen(*one) + 1;
  const std::size_t most = kNumbersAndNames + kSlot * event.slots.size() + kEscaped * texts;
  return most < kMaxLine ? most : kMaxLine;
}

std::size_t format_line(const Event& event, std::span<char> to) {
  JsonLine line(to);
  line.number(field::kVersion, kVersion);
  line.word(field::kEvent, name_of(kKindNames, event.kind));
  put_times(line, event.at);
  put_text(line, field::kHost, event.host, kHostRoom);
  put_lock(line, event);
  put_caller(line, event);
  switch (event.kind) {
    case Event::Kind::admitted:
      line.micros(field::kWaitedS, event.waited.ns);
      break;
    case Event::Kind::denied:
      put_denied(line, event);
      break;
    case Event::Kind::signalled:
      line.word(field::kSignal, signal_name(event.signalled.signal));
      line.truth(field::kWorked, event.signalled.worked);
      put_holder(line, event.holder);
      break;
    case Event::Kind::stopping:
      line.word(field::kWhy, name_of(kStopReasonNames, event.holder.reason));
      put_holder(line, event.holder);
      break;
    case Event::Kind::undelivered:
      put_text(line, field::kTo, event.undelivered.to, kLabelRoom);
      put_text(line, field::kWhy, event.undelivered.why, kNameRoom);
      break;
    case Event::Kind::expired:
    case Event::Kind::lost:
    case Event::Kind::vanished:
      put_holder(line, event.holder);
      break;
    case Event::Kind::ended:
      put_ended(line, event);
      break;
  }
  if (line.cut()) line.truth(field::kCut, true);
  return line.finish().size();
}

}  // namespace atmost::history
