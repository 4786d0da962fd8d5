#include "ledger.h"

#include <algorithm>

#include "history/names.h"
#include "reader/safe_text.h"

namespace atmost::report {
namespace {

using history::Record;

// A run is timed from a moment before its admission is logged. Where its time differs by more than
// this from the log's, a clock was set.
constexpr std::int32_t kLongestBeforeLog = 100'000'000;

// 50 years: longer than any run, and short enough to be added to any moment of a log.
constexpr std::int64_t kLongest = std::int64_t{50} * 366 * 86'400 * 1'000'000'000;

std::int64_t span_of(std::int64_t ns) {
  return ns == Record::kAbsent || ns == Record::kNever ? 0
                                                       : std::clamp<std::int64_t>(ns, 0, kLongest);
}

std::uint8_t why_of(std::string_view why) {
  for (std::size_t i = 0; i < std::size(history::kWhyNames); ++i) {
    if (history::kWhyNames[i] == why) return static_cast<std::uint8_t>(i);
  }
  return 0;
}

RunStatus fate_of(const Record& record, const Run& run) {
  if (!record.stopped.empty() || run.stopped) return RunStatus::killed;
  const bool success = record.signal.empty() && record.exit == 0 && !record.too_fast;
  return success ? RunStatus::success : RunStatus::failure;
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
  std::string_view key = record.path.empty() ? record.lock : record.path;
  if (hosts_apart_) {
    key_.assign(record.host).append(1, '\0').append(key);
    key = key_;
  }
  if (const auto known = by_path_.find(key); known != by_path_.end()) return known->second;
  by_path_.emplace(key, locks_.size());
  LockStory& story = locks_.emplace_back();
  open_.emplace_back();
  story.path = history::text_of(record.path);
  story.name = history::text_of(record.lock.empty() ? record.path : record.lock);
  story.host = history::text_of(record.host);
  if (hosts_apart_ && !story.host.empty()) story.name += " on " + story.host;
  story.first_ns = record.at_ns;
  return locks_.size() - 1;
}

void RunLedger::take(const Record& record) {
  if (record.path.empty() && record.lock.empty()) return;
  const std::size_t index = lock_of(record);
  LockStory& story = locks_[index];
  Open& open = open_[index];
  first_ns_ = first_ns_ == 0 ? record.at_ns : std::min(first_ns_, record.at_ns);
  last_ns_ = std::max(last_ns_, record.at_ns);
  story.last_ns = std::max(story.last_ns, record.at_ns);
  if (record.max != Record::kAbsent) story.max = record.max;
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
      story.expire_after_ns = span_of(record.expire_after_ns);
      break;
    case Event::Kind::signalled:
      signalled(record, story, open);
      break;
    // Each is followed by what ends the run: an `ended`, or the admission that noted the loss.
    case Event::Kind::stopping:
    case Event::Kind::undelivered:
    case Event::Kind::vanished:
    case Event::Kind::lost:
      break;
  }
}

void RunLedger::requested(LockStory& story, std::int64_t at_ns) {
  story.first_ns = std::min(story.first_ns, at_ns);
  if (story.spam_rule.request(at_ns)) ++story.spam;
}

void RunLedger::admitted(const Record& record, LockStory& story, Open& open) {
  Run run;
  run.start_ns = record.at_ns;
  run.waited_ns = span_of(record.waited_ns);
  run.token = record.token;
  run.slot = static_cast<std::uint32_t>(std::clamp<std::int64_t>(record.slot, 0, UINT32_MAX));
  run.take = static_cast<std::uint32_t>(std::clamp<std::int64_t>(record.take, 1, UINT32_MAX));
  requested(story, run.start_ns - run.waited_ns);
  open.last_start_ns = run.start_ns;
  const std::size_t index = story.runs.size();
  if (run.slot != 0) {
    const auto [place, is_new] = open.by_slot.try_emplace(run.slot, index);
    if (!is_new) {
      // Its end may only be logged a moment later: it stays in by_token.
      Run& before = story.runs[place->second];
      if (before.status == RunStatus::running) {
        before.status = RunStatus::unseen;
        before.ran_ns = std::max<std::int64_t>(0, record.at_ns - before.start_ns);
      }
      place->second = index;
    }
  }
  if (run.token != Record::kAbsent) open.by_token[run.token] = index;
  story.runs.push_back(run);
}

void RunLedger::ended(const Record& record, LockStory& story, Open& open) {
  const auto known = open.by_token.find(record.token);
  if (record.token == Record::kAbsent || known == open.by_token.end()) {
    // It was admitted before the log begins.
    Run run;
    run.ran_ns = span_of(record.ran_ns);
    run.start_ns = record.at_ns - run.ran_ns;
    run.waited_ns = span_of(record.waited_ns);
    run.token = record.token;
    run.slot = static_cast<std::uint32_t>(std::clamp<std::int64_t>(record.slot, 0, UINT32_MAX));
    run.take = static_cast<std::uint32_t>(std::clamp<std::int64_t>(record.take, 1, UINT32_MAX));
    run.status = fate_of(record, run);
    run.too_fast = record.too_fast || record.suspicious;
    story.first_ns = std::min(story.first_ns, run.start_ns - run.waited_ns);
    story.runs.push_back(run);
    return;
  }
  Run& run = story.runs[known->second];
  open.by_token.erase(known);
  run.ran_ns = record.ran_ns == Record::kAbsent
                   ? std::max<std::int64_t>(0, record.at_ns - run.start_ns)
                   : span_of(record.ran_ns);
  const std::int64_t before_log_ns = run.ran_ns - (record.at_ns - run.start_ns);
  if (before_log_ns > 0 && before_log_ns <= std::min(run.ran_ns, std::int64_t{kLongestBeforeLog}))
    run.before_log_ns = static_cast<std::int32_t>(before_log_ns);
  run.status = fate_of(record, run);
  run.too_fast = record.too_fast || record.suspicious;
}

void RunLedger::denied(const Record& record, LockStory& story, const Open& open) {
  Mark mark;
  mark.at_ns = record.at_ns;
  mark.waited_ns = span_of(record.waited_ns);
  mark.kind = record.why == "too_soon" ? Mark::Kind::too_soon : Mark::Kind::busy;
  mark.why = why_of(record.why);
  if (mark.kind == Mark::Kind::too_soon && record.retry_in_ns != Record::kAbsent) {
    const std::int64_t rest = span_of(record.retry_in_ns);
    const std::int64_t since = open.last_start_ns == 0 ? 0 : record.at_ns - open.last_start_ns;
    story.spam_rule.set_interval(rest + std::max<std::int64_t>(0, since));
  }
  requested(story, record.at_ns - mark.waited_ns);
  story.marks.push_back(mark);
}

void RunLedger::signalled(const Record& record, LockStory& story, const Open& open) {
  if (record.worked) story.marks.push_back({record.at_ns, 0, Mark::Kind::takeover, 0});
  if (record.holder_token == Record::kAbsent) return;
  const auto known = open.by_token.find(record.holder_token);
  Run* run = known != open.by_token.end() ? &story.runs[known->second]
                                          : recent(story.runs, record.holder_token);
  if (run == nullptr) return;
  run->stopped = true;
  if (!record.worked) return;
  if (run->status == RunStatus::running || run->status == RunStatus::unseen) {
    run->ran_ns = std::max<std::int64_t>(0, record.at_ns - run->start_ns);
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
