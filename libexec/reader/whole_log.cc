#include "reader/whole_log.h"

#include "reader/failure.h"
#include "reader/safe_text.h"
#include "reader/tail.h"

namespace atmost::history {
namespace {

// 1970 to 2200: beyond that, sums of moments and spans would no longer fit. No machine's clock
// shows such times.
constexpr std::int64_t kLatest = 7'258'118'400'000'000'000;

}  // namespace

ReadThrough read_whole(const Selection& selection, const std::function<void(const Record&)>& take) {
  ReadThrough result;
  result.sources = find_sources(selection);
  const Sources& sources = result.sources;
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
    take(record);
  };
  for (const std::string& log : sources.logs) {
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
