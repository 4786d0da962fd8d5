#include "line.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/words.h"
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

constexpr std::size_t kPiece = 128;  // bytes escaped at a time; each becomes six at most

class Line {
 public:
  explicit Line(std::span<char> to) : to_(to.data()) {}

  void put(std::string_view plain) {
    std::memcpy(to_ + size_, plain.data(), plain.size());
    size_ += plain.size();
  }
  void key(std::string_view name) {
    put(size_ == 1 ? "\"" : ",\"");
    put(name);
    put("\":");
  }
  // A string with its quotes that fills at most `room` bytes between them; returns what it filled.
  std::size_t string(std::string_view value, std::size_t room) {
    put("\"");
    const std::size_t before = size_;
    while (!value.empty()) {
      const std::size_t piece = whole_characters(value, kPiece);
      char escaped[6 * kPiece];
      const std::size_t left = room - (size_ - before);
      const std::size_t count = escape_json({value.data(), piece}, escaped, sizeof escaped);
      if (count > left) {
        size_ += escape_json({value.data(), piece}, to_ + size_, left);
        cut_ = true;
        break;
      }
      put({escaped, count});
      value.remove_prefix(piece);
    }
    const std::size_t filled = size_ - before;
    put("\"");
    return filled;
  }
  void text(std::string_view name, std::string_view value, std::size_t room) {
    if (value.empty()) return;
    key(name);
    string(value, room);
  }
  void word(std::string_view name, std::string_view value) {
    key(name);
    put("\"");
    put(value);
    put("\"");
  }
  void digits(std::uint64_t value) { put(Text<20>().append_unsigned(value)); }
  void number(std::string_view name, std::uint64_t value) {
    key(name);
    digits(value);
  }
  void known(std::string_view name, std::int64_t value) {
    if (value > 0) number(name, static_cast<std::uint64_t>(value));
  }
  void yes(std::string_view name) {
    key(name);
    put("true");
  }
  void seconds(std::string_view name, std::int64_t ns) {
    key(name);
    if (ns == Duration::kForever) return put("null");
    std::int64_t micros = ns / 1000;
    if (micros < 0) {
      put("-");
      micros = -micros;
    }
    digits(static_cast<std::uint64_t>(micros / 1'000'000));
    char fraction[7] = ".";
    for (int i = 6; i > 0; --i, micros /= 10) fraction[i] = static_cast<char>('0' + micros % 10);
    put({fraction, 7});
  }

  void arguments(char* const* argv);

  std::size_t finish() {
    if (cut_) yes(field::kCut);
    put("}\n");
    return size_;
  }

 private:
  char* to_;
  std::size_t size_ = 0;
  bool cut_ = false;
};

void Line::arguments(char* const* argv) {
  constexpr std::size_t kQuotesAndComma = 3;
  std::size_t room = kArgumentsRoom;
  key(field::kArgs);
  put("[");
  for (char* const* one = argv; *one != nullptr; ++one) {
    if (room < kQuotesAndComma) {
      cut_ = true;
      break;
    }
    if (one != argv) put(",");
    room -= kQuotesAndComma;
    room -= string(*one, room);
    if (cut_ && room < 6) break;
  }
  put("]");
}

void put_times(Line& line, const Instant& at) {
  line.word(field::kTime, utc_words(at.real_ns));
  line.seconds(field::kAt, at.real_ns);
  line.seconds(field::kBootS, at.boot_ns);
}

void put_lock(Line& line, const Event& event) {
  line.text(field::kLock, event.lock, kNameRoom);
  line.text(field::kPath, event.path, kPathRoom);
  line.text(field::kOperator, event.op, kNameRoom);
  line.text(field::kOperand, event.operand, kNameRoom);
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

void put_caller(Line& line, const Event& event) {
  line.known(field::kPid, event.pid);
  line.number(field::kUid, event.uid);
  line.text(field::kId, event.id, kLabelRoom);
  line.text(field::kCommand, event.command, kLabelRoom);
  if (event.arguments != nullptr) line.arguments(event.arguments);
}

void put_denied(Line& line, const Event& event) {
  const Event::Denied& denied = event.denied;
  line.word(field::kWhy,
            denied.verdict == Verdict::too_soon ? "too_soon" : name_of(kWhyNames, denied.why));
  line.seconds(field::kRetryInS, denied.retry_in.ns);
  line.number(field::kHeld, denied.held);
  line.number(field::kWaiters, denied.waiters);
  line.seconds(field::kWaitedS, event.waited.ns);
}

void put_holder(Line& line, const Event::Holder& holder) {
  line.known(field::kHolderPid, holder.pid);
  if (holder.token != 0) line.number(field::kHolderToken, holder.token);
  if (!holder.age.is_forever()) line.seconds(field::kAgeS, holder.age.ns);
  if (!holder.expire_after.is_forever()) line.seconds(field::kExpireAfterS, holder.expire_after.ns);
}

void put_ended(Line& line, const Event& event) {
  const Event::Ended& ended = event.ended;
  if (ended.not_started != Code::ok) {
    line.number(field::kExit, static_cast<std::uint64_t>(ended.not_started));
    line.key(field::kStarted);
    line.put("false");
    return;
  }
  if (ended.status.signal != 0) {
    line.word(field::kSignal, signal_name(ended.status.signal));
    if (ended.status.core_dumped) line.yes(field::kCore);
  } else {
    line.number(field::kExit, static_cast<std::uint64_t>(ended.status.code));
  }
  if (ended.stopped != Stopped::no)
    line.word(field::kStopped, name_of(kStoppedNames, ended.stopped));
  line.seconds(field::kWaitedS, event.waited.ns);
  line.seconds(field::kRanS, ended.ran.ns);
  if (!ended.usage.known) return;
  line.seconds(field::kCpuS, ended.usage.cpu_ns);
  line.number(field::kPeakKib, static_cast<std::uint64_t>(ended.usage.peak_kib));
}

}  // namespace

std::size_t format_line(const Event& event, std::span<char> to) {
  Line line(to);
  line.put("{");
  line.number(field::kVersion, kVersion);
  line.word(field::kEvent, name_of(kKindNames, event.kind));
  put_times(line, event.at);
  line.text(field::kHost, event.host, kHostRoom);
  put_lock(line, event);
  put_caller(line, event);
  switch (event.kind) {
    case Event::Kind::admitted:
      line.seconds(field::kWaitedS, event.waited.ns);
      break;
    case Event::Kind::denied:
      put_denied(line, event);
      break;
    case Event::Kind::signalled:
      line.word(field::kSignal, signal_name(event.signalled.signal));
      line.key(field::kWorked);
      line.put(event.signalled.worked ? "true" : "false");
      put_holder(line, event.holder);
      break;
    case Event::Kind::stopping:
      line.word(field::kWhy, name_of(kStopReasonNames, event.holder.reason));
      put_holder(line, event.holder);
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
  return line.finish();
}

}  // namespace atmost::history
