// From LOCK to a file name.
//
// The scheme. A name becomes its bytes and ".lock"; an atom becomes OPERATOR "=" OPERAND "@" HOST
// and ".lock".
//   - [A-Za-z0-9._+,-] stand for themselves; every other byte is written %HH (upper-case hex). A
//     leading dot is %2E.
//   - "=" and "@" are readable in most places, but divide an atom. So "=" is written %3D in names
//     and in operators, and "@" is written %40 in hosts. "@" in names, operators and operands, and
//     "=" in operands and hosts, stay.
//   - Longer than 255 bytes: as many whole characters (%HH is one) as leave room for "%+", the
//     SHA-256 of the long form (without ".lock") as 64 lower-case hex digits, and ".lock".
//
// Two names never share a file, for this reason: Escaping is undone byte by byte: "%" is always
// followed by two hex digits or, in cut forms, by "+"; so no cut form equals an uncut one. A name
// holds no "="; an atom's first "=" ends its operator (which has none), its last "@" begins its
// host (which has none). Cut forms differ unless SHA-256 collides. The hash is a cryptographic one
// because users of one lock directory need not trust one another's names. The case of letters is
// kept; on a filesystem that ignores case, names that differ only by case share a file. No name
// leads out of the directory: "/" and NUL are written %2F and %00, and no file name is empty or
// starts with a dot.
#include <cstddef>

#include "core/parse.h"
#include "sha256.h"

namespace atmost {
namespace {

constexpr std::string_view kEnding = ".lock";
constexpr std::string_view kCut = "%+";
constexpr std::size_t kHashDigits = 2 * request::Sha256::kBytes;
constexpr std::size_t kLongest = 255;  // NAME_MAX, limits.h
constexpr std::string_view kUpper = "0123456789ABCDEF";
constexpr std::string_view kLower = "0123456789abcdef";

bool is_plain(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '+' || c == ',' || c == '-';
}

int hex_value(char c) {
  const std::size_t at = kUpper.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

// A part of a canonical form, in which the bytes of `reserved` are escaped, too.
struct Part {
  std::string_view text;
  std::string_view reserved;
};

// Calls put(piece) for each character of the form, escaped where it has to be.
template <class Put>
void spell(std::span<const Part> parts, const Put& put) {
  bool first = true;
  for (const Part& part : parts) {
    for (const char c : part.text) {
      const bool plain = (is_plain(c) || c == '=' || c == '@') && !(c == '.' && first);
      const auto byte = static_cast<unsigned char>(c);
      const char escaped[3] = {'%', kUpper[byte >> 4], kUpper[byte & 15]};
      first = false;
      if (plain && part.reserved.find(c) == std::string_view::npos) {
        put(std::string_view(&c, 1));
      } else {
        put(std::string_view(escaped, 3));
      }
    }
  }
}

// Only a form that is too long needs its hash.
Text<255> file_name(std::span<const Part> parts) {
  Text<kLongest> start;
  std::size_t length = 0;
  std::size_t cut = 0;  // how much of the start a cut form keeps
  spell(parts, [&](std::string_view piece) {
    start.append(piece);
    length += piece.size();
    if (length <= kLongest - kCut.size() - kHashDigits - kEnding.size()) cut = length;
  });
  if (length <= kLongest - kEnding.size()) return start.append(kEnding);
  request::Sha256 hash;
  spell(parts, [&hash](std::string_view piece) { hash.add(piece); });
  unsigned char digest[request::Sha256::kBytes];
  hash.finish(digest);
  Text<255> name({start.c_str(), cut});
  name.append(kCut);
  for (unsigned char byte : digest) name.push(kLower[byte >> 4]).push(kLower[byte & 15]);
  return name.append(kEnding);
}

// Undoes the escaping; other characters stay (callers compare with the canonical form afterwards).
void append_unescaped(Text<255>& to, std::string_view from) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const bool escape = from[i] == '%' && i + 2 < from.size() && hex_value(from[i + 1]) >= 0 &&
                        hex_value(from[i + 2]) >= 0;
    if (!escape) {
      to.push(from[i]);
      continue;
    }
    to.push(static_cast<char>(hex_value(from[i + 1]) * 16 + hex_value(from[i + 2])));
    i += 2;
  }
}

}  // namespace

Result<LockForm> classify_lock(std::string_view text) {
  if (text.empty())
    return error_of(Code::usage, 0, "the lock has no name: use a name, operator:operand or a path");
  if (text.find('\0') != std::string_view::npos)
    return quoted(text, "holds a NUL byte, which no name can");
  if (text.back() == '/') return quoted(text, "ends in a slash: name a file, not a directory");
  if (text == "." || text == ".." || text.ends_with("/.") || text.ends_with("/..")) {
    return quoted(text, "is a directory: name a file");
  }
  const std::size_t colon = text.find(':');
  const bool stated_path =
      text.starts_with("/") || text.starts_with("./") || text.starts_with("../");
  if (!stated_path && colon != std::string_view::npos) {
    if (colon == 0 || colon + 1 == text.size()) {
      return quoted(text,
                    "is half an atom: use operator:operand, or ./NAME for a file with a colon");
    }
    return LockForm::atom;
  }
  if (!stated_path && text.find('/') == std::string_view::npos) return LockForm::name;
  if (text.size() > PathText::capacity())
    return quoted(text, "is too long a path: use at most 4095 bytes");
  return LockForm::path;
}

Result<Text<255>> canonical_name(std::string_view name) {
  if (name.empty()) return error_of(Code::usage, 0, "the lock has no name");
  const Part parts[] = {{name, "="}};
  return file_name(parts);
}

Result<Text<255>> canonical_atom(std::string_view op, std::string_view operand,
                                 std::string_view host) {
  if (op.empty()) return error_of(Code::usage, 0, "the atom has no operator: use operator:operand");
  if (host.empty()) return error_of(Code::usage, 0, "the host has no name: use --host NAME");
  const Part parts[] = {{op, "="}, {"=", ""}, {operand, ""}, {"@", ""}, {host, "@"}};
  return file_name(parts);
}

Text<255> readable_name(std::string_view file, std::string_view host) {
  Text<255> name;
  if (!file.ends_with(kEnding)) return name.append(file);
  const std::string_view form{file.data(), file.size() - kEnding.size()};
  const std::size_t equals = form.find('=');
  const std::size_t at = form.rfind('@');
  if (equals == std::string_view::npos) {
    append_unescaped(name, form);
    const Result<Text<255>> again = canonical_name(name);
    if (again.ok() && again.value().view() == file) return name;
  } else if (at != std::string_view::npos && at > equals) {
    Text<255> parts[3];
    append_unescaped(parts[0], {form.data(), equals});
    append_unescaped(parts[1], {form.data() + equals + 1, at - equals - 1});
    append_unescaped(parts[2], {form.data() + at + 1, form.size() - at - 1});
    const Result<Text<255>> again = canonical_atom(parts[0], parts[1], parts[2]);
    name.append(parts[0]).push(':').append(parts[1]);
    if (parts[2].view() != host) name.push('@').append(parts[2]);
    if (again.ok() && again.value().view() == file) return name;
  }
  name.clear();
  return name.append(file);
}

}  // namespace atmost
