#include "place.h"

#include <cerrno>

#include "core/words.h"
#include "target.h"

namespace atmost::symlink {
namespace {

constexpr std::string_view kSeat = ".atmost";
constexpr std::string_view kSpare = "spare.";

// FNV-1a with a final mix (constants: Fowler, Noll, Vo). Texts of seats never repeat (mark.h).
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash ^ hash >> 29;
}

bool two_numbers(std::string_view text) {
  std::uint64_t ignored = 0;
  return take_number(text, UINT64_MAX / 16, ignored) && take_word(text, ".") &&
         take_number(text, UINT64_MAX / 16, ignored) && text.empty();
}

}  // namespace

Status locate(const PathText& path, Place& to) {
  constexpr std::size_t kLongestTail = 60;  // ".atmost.spare.", a pid, a dot, 16 digits, or a claim
  const std::size_t slash = path.view().rfind('/');
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  const std::string_view base(path.c_str() + begin, path.size() - begin);
  if (base.ends_with(kSeat))
    return failure(path, Code::usage, "names that end in .atmost belong to the lock before it");
  if (base.size() + kLongestTail > 255 || path.size() + kLongestTail > PathText::capacity()) {
    return failure(path, Code::usage,
                   "is too long for a symlink lock (195 bytes, so that its other names fit)");
  }
  to.name = path;
  to.directory = slash == std::string_view::npos ? PathText(".")
                 : slash == 0                    ? PathText("/")
                                                 : PathText(std::string_view(path.c_str(), slash));
  to.base = Text<255>(base);
  to.seat_base = to.base;
  to.seat_base.append(kSeat);
  to.seat = path;
  to.seat.append(kSeat);
  return {};
}

PathText claim_name(const Place& place, std::string_view seat_text, unsigned number) {
  PathText to = place.seat;
  to.push('.');
  append_hex(to, hash_of(seat_text));
  return to.push('.').append_unsigned(number);
}

PathText spare_name(const Place& place, std::int64_t pid, std::uint64_t token) {
  PathText to = place.seat;
  to.push('.').append(kSpare).append_signed(pid).push('.');
  append_hex(to, token);
  return to;
}

Kin kin_of(const Place& place, std::string_view name) {
  if (!take_word(name, place.base) || !take_word(name, ".")) return Kin::none;
  if (two_numbers(name)) return Kin::leftover;
  if (!take_word(name, {kSeat.data() + 1, kSeat.size() - 1}) || !take_word(name, "."))
    return Kin::none;
  std::uint64_t ignored = 0;
  std::string_view rest = name;
  if (take_word(rest, kSpare) && take_number(rest, INT32_MAX, ignored) && take_word(rest, ".") &&
      take_hex(rest, ignored) && rest.empty()) {
    return Kin::spare;
  }
  rest = name;
  const bool claim =
      take_hex(rest, ignored) && take_word(rest, ".") && take_number(rest, INT32_MAX, ignored);
  return claim && rest.empty() ? Kin::claim : Kin::none;
}

bool claims_seat(const Place& place, std::string_view name, std::string_view seat_text) {
  std::uint64_t hash = 0;
  return take_word(name, place.seat_base) && take_word(name, ".") && take_hex(name, hash) &&
         hash == hash_of(seat_text);
}

Error failure(const PathText& path, Code code, std::string_view what) {
  Error error = error_of(code, 0, path);
  error.message.append(": ").append(what);
  return error;
}

Error failure(const PathText& path, int sys, std::string_view what) {
  Code code = Code::io;
  if (sys == EACCES || sys == EPERM) code = Code::not_permitted;
  if (sys == EROFS || sys == ENOENT || sys == ENOTDIR || sys == ENAMETOOLONG)
    code = Code::cannot_create;
  Error error = failure(path, code, what);
  error.sys = sys;
  error.message.append(": ").append(errno_words(sys));
  return error;
}

}  // namespace atmost::symlink
