#include "lock_names.h"

#include <cerrno>

#include "core/words.h"
#include "target.h"

namespace atmost::symlink {
namespace {

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
