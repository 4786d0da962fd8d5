#include "reader/whole_log.h"

#include <filesystem>
#include <unordered_map>

#include "core/parse.h"
#include "reader/failure.h"
#include "reader/safe_text.h"
#include "reader/tail.h"

namespace atmost::history {
namespace {

// 1970 to 2200: beyond that, sums of moments and spans would no longer fit. Such times come from a
// broken line or clock.
constexpr std::int64_t kLatest = 7'258'118'400'000'000'000;

// A directory may have been copied or moved with its log, whose lines name the old one: a named
// lock that has a file in the log's directory is the lock there.
class NamesHere {
 public:
  explicit NamesHere(const std::string& log) : here_(log.substr(0, log.rfind('/') + 1)) {}

  // The path stays valid as long as this.
  void place(Record& record) {
    const std::string_view path = record.text("path");
    if (!path.starts_with('/') || path.substr(0, path.rfind('/') + 1) == here_) return;
    auto known = moved_.find(path);
    if (known == moved_.end())
      known = moved_.emplace(path, new_path(record.text("lock"), path)).first;
    if (!known->second.empty()) record.set(kPath, std::string_view(known->second));
  }

 private:
  static constexpr std::size_t kPath = ReadText("path").index;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  // Empty: the lock stays where it is.
  std::string new_path(std::string_view lock, std::string_view path) const {
    const Result<LockForm> form = classify_lock(text_of(lock));
    if (!form.ok() || form.value() == LockForm::path) return {};
    std::string to = here_ + std::string(path.substr(path.rfind('/') + 1));
    std::error_code ignored;
    return to.find_first_of("\\\"") == std::string::npos && std::filesystem::exists(to, ignored)
               ? to
               : std::string();
  }

  std::string here_;
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> moved_;
};

}  // namespace

ReadThrough read_whole(const Selection& selection, const std::function<void(const Record&)>& take) {
  ReadThrough result;
  result.sources = find_sources(selection);
  const Sources& sources = result.sources;
  NamesHere* names = nullptr;
  const LineSink sink = [&](std::string_view line) {
    if (line.empty()) return;  // two writers may have ended the same torn line
    Record record;
    const Reading reading = read_line(line, record);
    if (reading != Reading::whole) ++result.skipped;
    if (reading == Reading::foreign) return;
    if (record.ns("at") < selection.since_ns || record.ns("at") >= selection.until_ns) return;
    if (!is_wanted(sources.locks, record)) return;
    if (record.ns("at") < 0 || record.ns("at") > kLatest || !is_safe(record.line)) {
      ++result.skipped;
      return;
    }
    ++result.lines;
    if (names != nullptr) names->place(record);
    take(record);
  };
  for (const std::string& log : sources.logs) {
    NamesHere here(log);
    // A log that was asked for by its name may be another machine's.
    names = selection.logs.empty() ? &here : nullptr;
    Tail tail(log, selection.since_ns);
    tail.advance(sink);
    tail.finish(sink);
    if (!tail.found() && !selection.quiet) complain("no history yet: " + log);
  }
  if (!selection.quiet) warn_of_unknown(sources.locks);
  if (result.skipped > 0 && !selection.quiet) complain(skipped_words(result.skipped));
  return result;
}

std::string skipped_words(std::size_t lines) {
  return std::to_string(lines) + (lines == 1 ? " line was" : " lines were") +
         " skipped: torn, or not written by atmost";
}

}  // namespace atmost::history
