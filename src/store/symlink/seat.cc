#include "seat.h"

#include <cerrno>

#include "os/file.h"
#include "os/link.h"
#include "target.h"

namespace atmost::symlink {
namespace {

// Who loses a race this often meets somebody who does it on purpose.
constexpr int kTries = 64;
constexpr unsigned kMostClaims = 64;
constexpr std::uint64_t kMostSeconds = INT64_MAX / 1'000'000'000;

constexpr std::string_view kNotASeat =
    "is not what atmost writes there; it was left alone, and so was the lock (remove it if nobody "
    "knows it)";

}  // namespace

bool parse_mark(std::string_view text, Mark& to) {
  to = {};
  std::uint64_t pid = 0;
  std::uint64_t start = 0;
  std::uint64_t until = 0;
  if (!take_word(text, "pid=") || !take_number(text, INT32_MAX, pid) || pid == 0) return false;
  if (!take_word(text, " start=") || !take_number(text, INT64_MAX, start)) return false;
  if (!take_word(text, " boot=") || !take_hex(text, to.being.boot)) return false;
  if (!take_word(text, " until=") || !take_number(text, kMostSeconds, until)) return false;
  if (!take_word(text, " token=") || !take_hex(text, to.token)) return false;
  to.being.pid = static_cast<std::int64_t>(pid);
  to.being.start_ns = static_cast<std::int64_t>(start);
  to.until_s = static_cast<std::int64_t>(until);
  return text.empty();
}

PathText format_mark(const Mark& from) {
  PathText to("pid=");
  to.append_signed(from.being.pid)
      .append(" start=")
      .append_signed(from.being.start_ns)
      .append(" boot=");
  append_hex(to, from.being.boot);
  to.append(" until=").append_signed(from.until_s).append(" token=");
  append_hex(to, from.token);
  return to;
}

Status look_at_seat(const Place& place, SeatSight& to) {
  to.present = false;
  const int error = os::read_link(place.seat.c_str(), to.text);
  if (error == ENOENT) return {};
  if (error == EINVAL || error == ENAMETOOLONG) return failure(place.seat, Code::io, kNotASeat);
  if (error != 0) return failure(place.seat, error, "cannot be read");
  if (!parse_mark(to.text, to.mark)) return failure(place.seat, Code::io, kNotASeat);
  to.present = true;
  return {};
}

bool over(const SeatSight& seat, const Instant& now, std::uint64_t boot,
          os::ProcessHandle* handle) {
  const std::int64_t until_s = seat.mark.until_s;
  if (until_s != 0 && now.real_ns / 1'000'000'000 >= until_s) return true;
  return !lives(seat.mark.being, boot, handle);
}

Result<Grip> claim_seat(const Place& place, std::string_view seat_text, const Being& by,
                        Claim& to) {
  Mark own;
  own.being = by;
  const PathText text = format_mark(own);
  for (unsigned number = 1; number <= kMostClaims; ++number) {
    PathText name = claim_name(place, seat_text, number);
    int error = os::make_link(text.c_str(), name.c_str());
    if (error == 0) {
      to.name = name;
      SeatSight now;
      Status looked = look_at_seat(place, now);
      if (looked.ok() && now.present && now.text.view() == seat_text) return Grip::held;
      drop_claim(to);
      if (!looked.ok()) return looked.error();
      return Grip::busy;
    }
    if (error != EEXIST) return failure(name, error, "cannot be made");
    PathText other;
    Mark maker;
    error = os::read_link(name.c_str(), other);
    if (error == ENOENT) return Grip::busy;  // its maker has done what there was to do
    if (error != 0 || !parse_mark(other, maker)) return failure(name, Code::io, kNotASeat);
    if (lives(maker.being, by.boot, nullptr)) return Grip::busy;
  }
  return Grip::busy;
}

void drop_claim(Claim& claim) {
  if (!claim.name.empty()) os::remove_name(claim.name.c_str());
  claim.name.clear();
}

Result<Grip> take_seat(const Place& place, const Mark& own, const Being& by, const Instant& now) {
  const PathText text = format_mark(own);
  for (int i = 0; i < kTries; ++i) {
    const int error = os::make_link(text.c_str(), place.seat.c_str());
    if (error == 0) return Grip::held;
    if (error != EEXIST) return failure(place.seat, error, "cannot be made");
    SeatSight seat;
    if (Status looked = look_at_seat(place, seat); !looked.ok()) return looked.error();
    if (!seat.present) continue;
    if (!over(seat, now, by.boot, nullptr)) return Grip::busy;
    Claim claim;
    Result<Grip> claimed = claim_seat(place, seat.text, by, claim);
    if (!claimed.ok() || claimed.value() == Grip::busy) return claimed;
    const int failed = os::remove_name(place.seat.c_str());
    drop_claim(claim);
    if (failed != 0 && failed != ENOENT)
      return failure(place.seat, failed, "is left over and cannot be removed");
  }
  return Grip::busy;
}

void leave_seat(const Place& place, const Mark& own) {
  SeatSight seat;
  if (look_at_seat(place, seat).ok() && seat.present &&
      seat.text.view() == format_mark(own).view()) {
    os::remove_name(place.seat.c_str());
  }
}

}  // namespace atmost::symlink
