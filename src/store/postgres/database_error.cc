#include "database_error.h"

#include <algorithm>
#include <cerrno>

namespace atmost::postgres {
namespace {

int weight(const DatabaseError& failure) {
  if (failure.kind == DatabaseError::Kind::setup) return 3;
  if (failure.kind == DatabaseError::Kind::silent) return 0;
  return failure.state == kReadOnly ? 2 : 1;
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

}  // namespace atmost::postgres
