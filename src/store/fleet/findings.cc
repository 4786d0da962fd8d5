#include "findings.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "atmost/words.h"

namespace atmost::fleet {

void Findings::say(Level level, const std::string& what, Code bad) {
  constexpr const char* kWords[] = {"ok", "warning", "bad"};
  const char* const word = kWords[static_cast<unsigned>(level)];
  if (level == Level::bad && trusted()) worst_ = bad;
  std::string line;
  if (json_) {
    std::string safe(what.size() * 6, '\0');  // the longest escape of a byte is \u and four digits
    safe.resize(escape_json(what, safe.data(), safe.size()));
    line = "{\"level\":\"" + std::string(word) + "\",\"finding\":\"" + safe + "\"}\n";
  } else {
    std::string safe(what.size() * 4, '\0');  // \xHH
    safe.resize(escape(what, safe.data(), safe.size()));
    line = std::string(word) + ": " + safe + "\n";
  }
  const ssize_t written = write(fd_, line.data(), line.size());
  if (written < 0) {
    failed_ = errno;
  } else if (written != static_cast<ssize_t>(line.size())) {
    failed_ = ENOSPC;
  }
}

Result<Code> Findings::verdict() const {
  if (failed_ == 0) return worst_;
  Error error = error_of(Code::io, failed_, "cannot write: ");
  error.message.append(errno_words(failed_));
  return error;
}

std::string millis(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(ns) / 1e6);
  return text;
}

}  // namespace atmost::fleet
