#include "format.h"

#include <cerrno>

#include "core/time.h"
#include "core/words.h"

namespace atmost::symlink {
namespace {

constexpr std::uint64_t kMostSeconds = INT64_MAX / 4;

bool digit(char c) { return c >= '0' && c <= '9'; }

bool plain(char c) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return letter || digit(c) || std::string_view("._+@,:/-").find(c) != std::string_view::npos;
}

int hex_value(char c, char ten) {
  if (digit(c)) return c - '0';
  return c >= ten && c < ten + 6 ? c - ten + 10 : -1;
}

void append_encoded(PathText& to, std::string_view id) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  for (char c : id) {
    if (plain(c)) {
      to.push(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    to.push('%').push(kDigits[byte >> 4]).push(kDigits[byte & 15]);
  }
}

// Sequences that atmost does not write stay as they are.
void decode(std::string_view from, Text<63>& to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool room = i + 2 < from.size();
    const int high = from[i] == '%' && room ? hex_value(from[i + 1], 'A') : -1;
    const int low = high >= 0 ? hex_value(from[i + 2], 'A') : -1;
    if (low < 0) {
      to.push(from[i]);
      continue;
    }
    to.push(static_cast<char>(high * 16 + low));
    i += 2;
  }
}

// START.BOOT.TOKEN
bool parse_origin(std::string_view text, Target& to) {
  std::uint64_t start = 0;
  if (!take_number(text, INT64_MAX, start) || !take_word(text, ".") || !take_hex(text, to.boot) ||
      !take_word(text, ".") || !take_hex(text, to.token)) {
    return false;
  }
  to.start_ns = static_cast<std::int64_t>(start);
  return text.empty();
}

void parse_id(std::string_view text, Target& to) {
  const std::size_t holder = text.find('=');
  if (holder != std::string_view::npos) {
    Target origin;
    if (parse_origin({text.data() + holder + 1, text.size() - holder - 1}, origin)) {
      to.ours = true;
      to.start_ns = origin.start_ns;
      to.boot = origin.boot;
      to.token = origin.token;
      decode({text.data(), holder}, to.id);
      return;
    }
  }
  to.id = Text<63>(text);
}

bool take_seconds(std::string_view& text, std::int64_t& to) {
  std::uint64_t value = 0;
  if (!take_number(text, kMostSeconds, value)) return false;
  to = static_cast<std::int64_t>(value);
  return true;
}

constexpr std::string_view kMutex = ".atmost";
constexpr std::string_view kSpare = "spare.";

// FNV-1a with a final mix (constants: Fowler, Noll, Vo). Texts of mutex links never repeat
// (mutex_link.h).
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

bool take_number(std::string_view& text, std::uint64_t most, std::uint64_t& to) {
  to = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && digit(text[digits]); ++digits) {
    if (__builtin_mul_overflow(to, std::uint64_t{10}, &to) ||
        __builtin_add_overflow(to, static_cast<std::uint64_t>(text[digits] - '0'), &to) ||
        to > most) {
      return false;
    }
  }
  text.remove_prefix(digits);
  return digits > 0;
}

bool take_hex(std::string_view& text, std::uint64_t& to) {
  constexpr std::size_t kDigits = 16;
  if (text.size() < kDigits) return false;
  to = 0;
  for (std::size_t i = 0; i < kDigits; ++i) {
    const int value = hex_value(text[i], 'a');
    if (value < 0) return false;
    to = to << 4 | static_cast<std::uint64_t>(value);
  }
  text.remove_prefix(kDigits);
  return true;
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

void append_hex(PathText& to, std::uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) to.push(kDigits[value >> shift & 15]);
}

bool parse_target(std::string_view text, Target& to) {
  to = {};
  std::uint64_t pid = 0;
  if (!take_word(text, "pid=") || !take_number(text, INT32_MAX, pid) || pid == 0) return false;
  to.pid = static_cast<std::int64_t>(pid);
  if (!take_word(text, " time=") || !take_seconds(text, to.time_s)) return false;
  if (!take_word(text, " ttl=") || !take_seconds(text, to.ttl_s)) return false;
  if (!take_word(text, " psid=")) return false;
  std::size_t end = 0;
  for (; end < text.size() && text[end] != ' '; ++end) {
    if (text[end] == '\0' || text[end] == '\t' || text[end] == '\n') return false;
  }
  to.psid = Text<127>(std::string_view(text.data(), end));
  text.remove_prefix(end);
  if (to.psid.truncated() || !take_word(text, " id=")) return false;
  parse_id(text, to);
  return true;
}

PathText format_target(const Target& from) {
  PathText to("pid=");
  to.append_signed(from.pid)
      .append(" time=")
      .append_signed(from.time_s)
      .append(" ttl=")
      .append_signed(from.ttl_s);
  to.append(" psid=").append(from.psid).append(" id=");
  append_encoded(to, from.id);
  to.push('=').append_signed(from.start_ns).push('.');
  append_hex(to, from.boot);
  to.push('.');
  append_hex(to, from.token);
  return to;
}

bool parse_psid(std::string_view psid, std::int64_t& parent, std::int64_t& group) {
  const std::size_t last = psid.rfind('.');
  if (last == std::string_view::npos || last == 0) return false;
  const std::size_t before = psid.rfind('.', last - 1);
  if (before == std::string_view::npos) return false;
  std::string_view first(psid.data() + before + 1, last - before - 1);
  std::string_view second(psid.data() + last + 1, psid.size() - last - 1);
  std::uint64_t one = 0;
  std::uint64_t two = 0;
  if (!take_number(first, INT32_MAX, one) || !take_number(second, INT32_MAX, two)) return false;
  parent = static_cast<std::int64_t>(one);
  group = static_cast<std::int64_t>(two);
  return first.empty() && second.empty();
}

std::int64_t expiry_ns(const Target& target) {
  constexpr std::int64_t kNsPerSecond = 1'000'000'000;
  if (target.ttl_s >= kNoExpiry) return Duration::kForever;
  const std::int64_t end_s = target.time_s + target.ttl_s;  // each at most INT64_MAX / 4
  return end_s > INT64_MAX / kNsPerSecond ? Duration::kForever : end_s * kNsPerSecond;
}

Status locate(std::string_view path, LockNames& to) {
  constexpr std::size_t kLongestTail = 60;  // ".atmost.spare.", a pid, a dot, 16 digits, or a claim
  const std::size_t slash = path.rfind('/');
  const std::size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  const std::string_view base(path.data() + begin, path.size() - begin);
  if (base.ends_with(kMutex))
    return failure(path, Code::usage, "names that end in .atmost belong to the lock before it");
  if (base.size() + kLongestTail > 255 || path.size() + kLongestTail > PathText::capacity()) {
    return failure(path, Code::usage,
                   "is too long for a symlink lock (195 bytes, so that its other names fit)");
  }
  to.name = PathText(path);
  to.directory = slash == std::string_view::npos ? PathText(".")
                 : slash == 0                    ? PathText("/")
                                                 : PathText({path.data(), slash});
  to.base = Text<255>(base);
  to.mutex_base = to.base;
  to.mutex_base.append(kMutex);
  to.mutex = PathText(path);
  to.mutex.append(kMutex);
  return {};
}

PathText claim_name(const LockNames& names, std::string_view mutex_text, unsigned number) {
  PathText to = names.mutex;
  to.push('.');
  append_hex(to, hash_of(mutex_text));
  return to.push('.').append_unsigned(number);
}

PathText spare_name(const LockNames& names, std::int64_t pid, std::uint64_t token) {
  PathText to = names.mutex;
  to.push('.').append(kSpare).append_signed(pid).push('.');
  append_hex(to, token);
  return to;
}

NameKind kind_of(const LockNames& names, std::string_view name) {
  if (!take_word(name, names.base) || !take_word(name, ".")) return NameKind::none;
  if (two_numbers(name)) return NameKind::leftover;
  if (!take_word(name, {kMutex.data() + 1, kMutex.size() - 1}) || !take_word(name, "."))
    return NameKind::none;
  std::uint64_t ignored = 0;
  std::string_view rest = name;
  if (take_word(rest, kSpare) && take_number(rest, INT32_MAX, ignored) && take_word(rest, ".") &&
      take_hex(rest, ignored) && rest.empty()) {
    return NameKind::spare;
  }
  rest = name;
  const bool claim =
      take_hex(rest, ignored) && take_word(rest, ".") && take_number(rest, INT32_MAX, ignored);
  return claim && rest.empty() ? NameKind::claim : NameKind::none;
}

bool claims_removal_of(const LockNames& names, std::string_view name, std::string_view mutex_text) {
  std::uint64_t hash = 0;
  return take_word(name, names.mutex_base) && take_word(name, ".") && take_hex(name, hash) &&
         hash == hash_of(mutex_text);
}

Error failure(std::string_view path, Code code, std::string_view what) {
  Error error = error_of(code, 0, path);
  error.message.append(": ").append(what);
  return error;
}

Error failure(std::string_view path, int sys, std::string_view what) {
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
