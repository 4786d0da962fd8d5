#include "findings.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "core/words.h"

namespace atmost::fleet {

std::string Findings::as_json(Level level, const char* check, const std::string& what,
                              const std::string& why) const {
  constexpr const char* kWords[] = {"ok", "warn", "fail"};
  const auto text = [](const std::string& from) {
    std::string safe(from.size() * 6, '\0');  // the longest escape of a byte is \u and four digits
    safe.resize(escape_json(from, safe.data(), safe.size()));
    return "\"" + safe + "\"";
  };
  return "{\"level\":\"" + std::string(kWords[static_cast<unsigned>(level)]) + "\",\"check\":\"" +
         check + "\",\"what\":" + text(what) + ",\"why\":" + text(why) +
         ",\"advice\":\"\",\"store\":" + text(store_) + "}\n";
}

void Findings::write_line(const std::string& line) {
  const ssize_t written = write(fd_, line.data(), line.size());
  if (written < 0) {
    failed_ = errno;
  } else if (written != static_cast<ssize_t>(line.size())) {
    failed_ = ENOSPC;
  }
}

void Findings::say(Level level, const std::string& what, Code bad) {
  constexpr const char* kWords[] = {"ok", "warning", "bad"};
  if (level == Level::bad && trusted()) {
    worst_ = bad;
    reason_ = what;
  }
  doubtful_ = doubtful_ || level == Level::doubtful;
  if (json_) return write_line(as_json(level, check_, what, ""));
  std::string safe(what.size() * 4, '\0');  // \xHH
  safe.resize(escape(what, safe.data(), safe.size()));
  write_line(std::string(kWords[static_cast<unsigned>(level)]) + ": " + safe + "\n");
}

Result<Code> Findings::verdict() {
  if (json_) {
    const Level level = !trusted() ? Level::bad : doubtful_ ? Level::doubtful : Level::good;
    write_line(as_json(level, "verdict", trusted() ? "yes" : "no", reason_));
  }
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
