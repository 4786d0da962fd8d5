#include "report.h"

#include "core/words.h"
#include "layout.h"
#include "os/terminal.h"

namespace atmost::local {
namespace {

// The longest escape of one byte is \u and four digits.
constexpr std::size_t kPiece = 256;
constexpr std::size_t kLongestEscape = 6;

}  // namespace

Report& Report::text(std::string_view ours) {
  for (char c : ours) {
    if (buffer_.size() == buffer_.capacity()) flush();
    buffer_.push(c);
  }
  return *this;
}

Report& Report::shown(std::string_view foreign) {
  char room[kPiece * kLongestEscape];
  while (!foreign.empty()) {
    const std::size_t piece = whole_characters(foreign, kPiece);
    text({room, escape({foreign.data(), piece}, room, sizeof room)});
    foreign.remove_prefix(piece);
  }
  return *this;
}

Report& Report::json(std::string_view foreign) {
  char room[kPiece * kLongestEscape];
  while (!foreign.empty()) {
    const std::size_t piece = whole_characters(foreign, kPiece);
    text({room, escape_json({foreign.data(), piece}, room, sizeof room)});
    foreign.remove_prefix(piece);
  }
  return *this;
}

Report& Report::number(std::int64_t value) { return text(Text<20>().append_signed(value)); }

Report& Report::hex(std::uint64_t value) {
  Text<16> digits;
  for (int shift = 60; shift >= 0; shift -= 4) {
    const auto digit = static_cast<unsigned>(value >> shift & 15);
    if (digit != 0 || !digits.empty() || shift == 0) digits.push("0123456789abcdef"[digit]);
  }
  return text("0x").text(digits);
}

void Report::flush() {
  if (error_ == 0 && !buffer_.empty())
    error_ = os::write_stream(fd_, buffer_.view().data(), buffer_.size());
  buffer_.clear();
}

Status Report::finish() {
  flush();
  if (error_ == 0) return {};
  Error error = error_of(Code::io, error_, "cannot write the report: ");
  error.message.append(errno_words(error_));
  return error;
}

Text<48> position_words(std::int64_t byte) {
  for (const int power : {48, 43, 42, 41}) {
    const std::int64_t base = std::int64_t{1} << power;
    if (byte < base) continue;
    Text<48> words("2^");
    words.append_signed(power);
    if (byte > base) words.push('+').append_signed(byte - base);
    return words;
  }
  return Text<48>().append_signed(byte);
}

}  // namespace atmost::local
