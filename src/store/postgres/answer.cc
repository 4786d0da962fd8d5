#include "answer.h"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "core/request.h"

namespace atmost::postgres {
namespace {

int weight(const DatabaseError& failure) {
  if (failure.kind == DatabaseError::Kind::setup) return 3;
  if (failure.kind == DatabaseError::Kind::silent) return 0;
  return failure.state == kReadOnly ? 2 : 1;
}

[[noreturn]] void malformed(const std::string& words) { throw malformed_error(words); }

std::optional<std::int64_t> parse(std::string_view text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end || text.empty()) return std::nullopt;
  return value;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

bool worth_another_try(const DatabaseError& failure) {
  if (failure.kind == DatabaseError::Kind::unreachable) return true;
  if (failure.kind != DatabaseError::Kind::refused) return false;
  // 08: connection; 57P: shutdown, crash, starting up; 40: serialization, deadlock; 25P03: we were
  // idle in a transaction.
  return failure.state.starts_with("08") || failure.state.starts_with("57P0") ||
         failure.state.starts_with("40") || failure.state == "25P03" || failure.state == "23505";
}

Error error_of(const DatabaseError& failure, std::string_view where) {
  Code code = failure.code;
  std::string words(where);
  words += ": ";
  words += failure.words;
  if (failure.is(kNoPrivilege)) {
    code = Code::not_permitted;
    words += " (the owner of schema atmost grants it: atmost schema postgres shows how)";
  } else if (failure.state == kReadOnly) {
    words += " (add every server to the URL: the one that takes writes is found)";
  }
  const bool unanswered = failure.kind == DatabaseError::Kind::unreachable ||
                          failure.kind == DatabaseError::Kind::silent;
  return atmost::error_of(code, unanswered ? ETIMEDOUT : 0, words);
}

std::string one_line(std::string_view text) {
  std::string line;
  for (char c : text) {
    if (c != '\n' && c != '\t') {
      line += c;
    } else if (!line.empty() && !line.ends_with(' ')) {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line.empty() ? "the connection broke" : line;
}

// "…: FATAL:  28P01: password authentication failed for user "x"\nLOCATION:  auth_failed,
// auth.c:336\n", once or several times.
Refusal refusal_of(std::string_view message) {
  constexpr std::string_view kWhere = "\nLOCATION:";
  constexpr std::size_t kState = 5;
  Refusal refusal;
  std::string kept;
  while (!message.empty()) {
    const std::size_t end = message.find('\n', 1);
    std::string_view line = message.substr(0, end);
    message = end == std::string_view::npos ? std::string_view() : message.substr(end);
    if (line.starts_with(kWhere)) continue;
    const std::size_t fatal = line.find(":  ");
    const bool long_enough = fatal != std::string_view::npos && line.size() > fatal + 3 + kState;
    if (long_enough && line.substr(fatal + 3 + kState).starts_with(": ")) {
      refusal.state = line.substr(fatal + 3, kState);
      kept.append(line.substr(0, fatal + 2)).append(line.substr(fatal + 3 + kState + 2));
    } else {
      kept.append(line);
    }
  }
  refusal.words = one_line(kept);
  return refusal;
}

bool mentions_tls(std::string_view words) {
  return words.find("SSL") != std::string_view::npos ||
         words.find("certificate") != std::string_view::npos;
}

DatabaseError most_telling(std::vector<DatabaseError> all) {
  std::stable_sort(all.begin(), all.end(), [](const DatabaseError& a, const DatabaseError& b) {
    return weight(a) > weight(b);
  });
  DatabaseError first = all.front();
  std::string_view before = all.front().words;
  for (const DatabaseError& other : all) {
    if (other.words != before) first.words += "; " + other.words;
    before = other.words;
  }
  return first;
}

void Rows::expect(int wanted) const {
  if (count() != wanted)
    malformed(std::to_string(count()) + " rows instead of " + std::to_string(wanted));
}

std::int64_t Rows::changed() const {
  const std::optional<std::int64_t> value = parse(PQcmdTuples(result_.get()));
  if (!value || *value < 0) malformed("no count");
  return *value;
}

bool Rows::missing(int row, int column) const {
  if (row < 0 || row >= count() || column < 0 || column >= PQnfields(result_.get()))
    malformed("too short");
  return PQgetisnull(result_.get(), row, column) != 0;
}

std::string_view Rows::field(int row, int column) const {
  if (missing(row, column)) malformed("a value is missing");
  return {PQgetvalue(result_.get(), row, column),
          static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::int64_t Rows::integer(int row, int column, std::int64_t least, std::int64_t most) const {
  const std::optional<std::int64_t> value = parse(field(row, column));
  if (!value || *value < least || *value > most) malformed("a number out of range");
  return *value;
}

std::optional<std::int64_t> Rows::maybe_integer(int row, int column) const {
  const std::int64_t value = integer(row, column);
  if (value == -INT64_MAX) return std::nullopt;
  return value;
}

bool Rows::boolean(int row, int column) const {
  const std::string_view value = field(row, column);
  if (value != "t" && value != "f") malformed("neither true nor false");
  return value == "t";
}

std::string Rows::text(int row, int column) const { return std::string(field(row, column)); }

std::string Rows::bytes(int row, int column) const {
  std::string_view hex = field(row, column);
  if (!hex.starts_with("\\x") || hex.size() % 2 != 0) malformed("no bytes");
  hex.remove_prefix(2);
  std::string value;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = hex_value(hex[i]);
    const int low = hex_value(hex[i + 1]);
    if (high < 0 || low < 0) malformed("no bytes");
    value += static_cast<char>(high * 16 + low);
  }
  return value;
}

std::vector<std::uint32_t> Rows::slots(int row, int column) const {
  std::string_view list = field(row, column);
  if (!list.starts_with('{') || !list.ends_with('}') || list.size() < 2) malformed("no list");
  list = list.substr(1, list.size() - 2);
  std::vector<std::uint32_t> all;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::optional<std::int64_t> slot = parse(list.substr(0, comma));
    if (!slot || *slot < 1 || *slot > kMaxSlots) malformed("no slot");
    all.push_back(static_cast<std::uint32_t>(*slot));
    if (comma == std::string_view::npos) break;
    list.remove_prefix(comma + 1);
    if (list.empty()) malformed("no list");
  }
  return all;
}

std::string hex_of(std::string_view bytes) {
  static const char kDigits[] = "0123456789abcdef";
  std::string hex = "\\x";
  for (char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace atmost::postgres
