#include "trouble.h"

namespace atmost::postgres {

bool worth_another_try(const Trouble& trouble) {
  if (trouble.kind == Trouble::Kind::unreachable) return true;
  if (trouble.kind != Trouble::Kind::refused) return false;
  // 08: connection; 57P: shutdown, crash, starting up; 40: serialization, deadlock; 25P03: we stood still in a transaction.
  return trouble.state.starts_with("08") || trouble.state.starts_with("57P0") ||
         trouble.state.starts_with("40") || trouble.state == "25P03" || trouble.state == "23505";
}

Error error_of(const Trouble& trouble, std::string_view where) {
  Code code = trouble.code;
  std::string words(where);
  words += ": ";
  words += trouble.words;
  if (trouble.is(kNoPrivilege)) {
    code = Code::not_permitted;
    words += " (the owner of schema atmost grants it: atmost schema postgres shows how)";
  } else if (trouble.is(kReadOnly)) {
    words += " (a standby? add every server to the URL: the one that takes writes is found)";
  }
  return atmost::error_of(code, 0, words);
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

}  // namespace atmost::postgres
