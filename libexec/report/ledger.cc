#include "ledger.h"

#include <algorithm>

#include "core/outcome.h"
#include "history/log.h"
#include "reader/output.h"

namespace atmost::report {
namespace {

using history::Record;

// A run is timed from a moment before its admission is logged. If its time differs by more than
// this from the log's, a clock was set.
constexpr std::int32_t kLongestBeforeLog = 100'000'000;

// 50 years: longer than any run, and short enough to be added to any moment of a log.
constexpr std::int64_t kLongest = std::int64_t{50} * 366 * 86'400 * 1'000'000'000;

std::int64_t span_of(std::int64_t ns) {
  return ns == Record::kAbsent || ns == Record::kNever ? 0
                                                       : std::clamp<std::int64_t>(ns, 0, kLongest);
}

std::uint8_t why_of(std::string_view why) {
  for (std::size_t i = 0; i < std::size(kWhyNames); ++i) {
    if (kWhyNames[i] == why) return static_cast<std::uint8_t>(i);
  }
  return 0;
}

RunStatus fate_of(const Record& record, const Run& run) {
  if (!record.text("stopped").empty() || run.stopped) return RunStatus::killed;
  const bool success =
      record.text("signal").empty() && record.number("exit") == 0 && !record.flag("too_fast");
  return success ? RunStatus::success : RunStatus::failure;
}

void note_end(const Record& record, Run& run) {
  run.status = fate_of(record, run);
  run.too_fast = record.flag("too_fast") || record.flag("suspicious");
  run.unstarted = !record.flag("started", true);
  run.by_signal = !record.text("signal").empty();
  if (!run.by_signal) {
    run.exit = static_cast<std::uint8_t>(std::max<std::int64_t>(record.number("exit"), 0));
    return;
  }
  constexpr std::uint8_t kSignals = 65;
  while (++run.exit < kSignals && history::signal_name(run.exit).view() != record.text("signal")) {
  }
}

// The run of a token among the latest: a taker may log the takeover after the stopped holder logged
// its end.
Run* recent(std::vector<Run>& runs, std::int64_t token) {
  constexpr std::size_t kLookBack = 64;
  const std::size_t oldest = runs.size() > kLookBack ? runs.size() - kLookBack : 0;
  for (std::size_t i = runs.size(); i > oldest; --i) {
    if (runs[i - 1].token == token) return &runs[i - 1];
  }
  return nullptr;
}

}  // namespace

std::size_t RunLedger::lock_of(const Record& record) {
  std::string_view key = record.text("path").empty() ? record.text("lock") : record.text("path");
  if (hosts_apart_) {
    key_.assign(record.text("host")).append(1, '\0').append(key);
    key = key_;
  }
  if (const auto known = by_path_.find(key); known != by_path_.end()) return known->second;
  by_path_.emplace(key, locks_.size());
  LockStory& story = locks_.emplace_back();
  open_.emplace_back();
  story.path = history::text_of(record.text("path"));
  story.name =
      history::text_of(record.text("lock").empty() ? record.text("path") : record.text("lock"));
  story.host = history::text_of(record.text("host"));
  if (hosts_apart_ && !story.host.empty()) story.name += " on " + story.host;
  story.first_ns = record.ns("at");
  return locks_.size() - 1;
}

void RunLedger::take(const Record& record) {
  if (record.text("path").empty() && record.text("lock").empty()) return;
  const std::size_t index = lock_of(record);
  LockStory& story = locks_[index];
  Open& open = open_[index];
  first_ns_ = first_ns_ == 0 ? record.ns("at") : std::min(first_ns_, record.ns("at"));
  last_ns_ = std::max(last_ns_, record.ns("at"));
  story.last_ns = std::max(story.last_ns, record.ns("at"));
  if (record.number("max") != Record::kAbsent) story.max = record.number("max");
  switch (record.kind) {
    case Event::Kind::admitted:
      admitted(record, story, open);
      break;
    case Event::Kind::denied:
      denied(record, story, open);
      break;
    case Event::Kind::ended:
      ended(record, story, open);
      break;
    case Event::Kind::expired:
      story.expire_after_ns = span_of(record.ns("expire_after_s"));
      break;
    case Event::Kind::signalled:
      signalled(record, story, open);
      break;
    case Event::Kind::stopping:
      stopping(record, story, open);
      break;
    // A line that ends the run follows each of these: an `ended`, or the admission that noted the
    // loss.
    case Event::Kind::undelivered:
    case Event::Kind::unreached:
    case Event::Kind::vanished:
    case Event::Kind::lost:
    case Event::Kind::limited:  // no run's
      break;
  }
}

void RunLedger::requested(LockStory& story, std::int64_t at_ns) {
  story.first_ns = std::min(story.first_ns, at_ns);
  if (story.spam_rule.request(at_ns)) ++story.spam;
}

void RunLedger::admitted(const Record& record, LockStory& story, Open& open) {
  Run run;
  run.start_ns = record.ns("at");
  run.waited_ns = span_of(record.ns("waited_s"));
  run.token = record.number("token");
  run.slot =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(record.number("slot"), 0, UINT32_MAX));
  run.take =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(record.number("take"), 1, UINT32_MAX));
  requested(story, run.start_ns - run.waited_ns);
  open.last_start_ns = run.start_ns;
  story.next_ns = 0;
  const std::size_t index = story.runs.size();
  if (run.slot != 0) {
    const auto [place, is_new] = open.by_slot.try_emplace(run.slot, index);
    if (!is_new) {
      // Its end may only be logged a moment later: it stays in by_token.
      Run& before = story.runs[place->second];
      if (before.status == RunStatus::running) {
        before.status = RunStatus::unseen;
        before.ran_ns = std::max<std::int64_t>(0, record.ns("at") - before.start_ns);
      }
      place->second = index;
    }
  }
  if (run.token != Record::kAbsent) {
    run.replaced = run.token == open.replaced_token;
    open.by_token[run.token] = index;
  }
  story.runs.push_back(run);
}

void RunLedger::ended(const Record& record, LockStory& story, Open& open) {
  const auto known = open.by_token.find(record.number("token"));
  if (record.number("token") == Record::kAbsent || known == open.by_token.end()) {
    // It was admitted before the log begins.
    Run run;
    run.ran_ns = span_of(record.ns("ran_s"));
    run.start_ns = record.ns("at") - run.ran_ns;
    run.waited_ns = span_of(record.ns("waited_s"));
    run.token = record.number("token");
    run.slot =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(record.number("slot"), 0, UINT32_MAX));
    run.take =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(record.number("take"), 1, UINT32_MAX));
    note_end(record, run);
    story.first_ns = std::min(story.first_ns, run.start_ns - run.waited_ns);
    story.runs.push_back(run);
    return;
  }
  Run& run = story.runs[known->second];
  open.by_token.erase(known);
  run.ran_ns = record.ns("ran_s") == Record::kAbsent
                   ? std::max<std::int64_t>(0, record.ns("at") - run.start_ns)
                   : span_of(record.ns("ran_s"));
  const std::int64_t before_log_ns = run.ran_ns - (record.ns("at") - run.start_ns);
  if (before_log_ns > 0 && before_log_ns <= std::min(run.ran_ns, std::int64_t{kLongestBeforeLog}))
    run.before_log_ns = static_cast<std::int32_t>(before_log_ns);
  note_end(record, run);
}

void RunLedger::denied(const Record& record, LockStory& story, const Open& open) {
  Mark mark;
  mark.at_ns = record.ns("at");
  mark.waited_ns = span_of(record.ns("waited_s"));
  mark.kind = record.text("why") == "too_soon" ? Mark::Kind::too_soon : Mark::Kind::busy;
  mark.why = why_of(record.text("why"));
  if (mark.kind == Mark::Kind::too_soon && record.ns("retry_in_s") != Record::kAbsent) {
    const std::int64_t rest = span_of(record.ns("retry_in_s"));
    const std::int64_t since = open.last_start_ns == 0 ? 0 : record.ns("at") - open.last_start_ns;
    story.spam_rule.set_interval(rest + std::max<std::int64_t>(0, since));
    story.next_ns = record.ns("at") + rest;
  }
  requested(story, record.ns("at") - mark.waited_ns);
  story.marks.push_back(mark);
}

Run* RunLedger::holder_of(const Record& record, LockStory& story, const Open& open) {
  const std::int64_t token = record.number("holder_token");
  if (token == Record::kAbsent) return nullptr;
  const auto known = open.by_token.find(token);
  return known != open.by_token.end() ? &story.runs[known->second] : recent(story.runs, token);
}

// The record that ends the run follows.
void RunLedger::stopping(const Record& record, LockStory& story, Open& open) {
  if (record.text("why") == "kill") open.killed_tokens.insert(record.number("holder_token"));
  if (record.text("why") != "replace") return;
  if (Run* run = holder_of(record, story, open); run != nullptr) {
    run->replaced = true;
  } else {  // it began a moment ago, and has not been logged yet
    open.replaced_token = record.number("holder_token");
  }
}

void RunLedger::signalled(const Record& record, LockStory& story, Open& open) {
  if (record.flag("worked")) {
    const bool by_kill = open.killed_tokens.erase(record.number("holder_token")) > 0;
    story.marks.push_back({record.ns("at"), 0, Mark::Kind::takeover, 0, by_kill});
  }
  Run* run = holder_of(record, story, open);
  if (run == nullptr) return;
  run->stopped = true;
  if (!record.flag("worked")) return;
  if (run->status == RunStatus::running || run->status == RunStatus::unseen) {
    run->ran_ns = std::max<std::int64_t>(0, record.ns("at") - run->start_ns);
  }
  run->status = RunStatus::killed;
}

void RunLedger::close() {
  for (LockStory& story : locks_) {
    for (Run& run : story.runs) {
      if (run.status == RunStatus::running)
        run.ran_ns = std::max<std::int64_t>(0, last_ns_ - run.start_ns);
    }
    std::stable_sort(story.runs.begin(), story.runs.end(), [](const Run& one, const Run& other) {
      return one.start_ns < other.start_ns;
    });
  }
  open_.clear();
  by_path_.clear();
}

}  // namespace atmost::report
