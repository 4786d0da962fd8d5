#include "findings.h"

#include <cstdio>

#include "core/words.h"
#include "json/json.h"
#include "os/terminal.h"

namespace atmost::diagnosis {
namespace {

std::string printable(std::string_view text) {
  constexpr std::size_t kLongestEscape = 4;  // \xHH
  std::string safe(text.size() * kLongestEscape, '\0');
  safe.resize(escape(text, safe.data(), safe.size()));
  return safe;
}

std::string padded(std::string_view word, std::size_t width) {
  std::string text(word);
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

std::string as_text(const Finding& finding) {
  constexpr std::string_view kWords[] = {"ok", "warn", "FAIL"};
  std::string line = padded(kWords[static_cast<unsigned>(finding.level)], 6) +
                     padded(finding.check, 16) + printable(finding.what);
  if (!finding.why.empty()) line += "; " + printable(finding.why);
  if (!finding.advice.empty()) line += ": " + printable(finding.advice);
  return line + "\n";
}

}  // namespace

std::string Findings::as_json(const Finding& finding) const {
  constexpr const char* kWords[] = {"ok", "warn", "fail"};
  json::Object to;
  to.text("level", kWords[static_cast<unsigned>(finding.level)]).text("check", finding.check);
  to.text("what", finding.what).text("why", finding.why).text("advice", finding.advice);
  return to.text("store", store_).str() + "\n";
}

void Findings::write_line(const std::string& line) {
  if (failed_ == 0) failed_ = os::write_stream(fd_, line.data(), line.size());
}

void Findings::add(const Finding& finding, Code bad) {
  if (finding.level == Level::doubtful) ++doubtful_;
  if (finding.level == Level::bad && trusted()) {
    worst_ = bad;
    reason_ = finding.what;
    if (!finding.why.empty()) reason_.append("; ").append(finding.why);
  }
  write_line(json_ ? as_json(finding) : as_text(finding));
}

void Findings::say(Level level, const std::string& what, Code bad) {
  add({level, check_, what, {}, {}}, bad);
}

Result<Code> Findings::verdict() {
  if (json_) {
    const Level level = !trusted() ? Level::bad : doubtful_ > 0 ? Level::doubtful : Level::good;
    write_line(as_json({level, "verdict", trusted() ? "yes" : "no", reason_, {}}));
  } else {
    std::string line =
        trusted() ? "yes: locks can be trusted in " : "no: locks cannot be trusted in ";
    line += printable(store_);
    if (!trusted()) {
      line += ": " + printable(reason_);
    } else if (doubtful_ > 0) {
      line += " (" + std::to_string(doubtful_) + (doubtful_ == 1 ? " warning)" : " warnings)");
    } else {
      line += ": every trial went well";
    }
    write_line(line + "\n");
  }
  if (failed_ == 0) return worst_;
  Error error = error_of(Code::io, failed_, "cannot write the report: ");
  error.message.append(errno_words(failed_));
  return error;
}

std::string millis(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f ms", static_cast<double>(ns) / 1e6);
  return text;
}

}  // namespace atmost::diagnosis
