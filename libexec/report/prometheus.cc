#include "stats_table.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "json/json.h"
#include "reader/output.h"

namespace atmost::report {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// Upper edges of the run times' histogram.
constexpr std::int64_t kEdgesMs[] = {100,        300,        1'000,      3'000,     10'000,
                                     30'000,     100'000,    300'000,    1'000'000, 3'000'000,
                                     10'000'000, 30'000'000, 100'000'000};

// A label's value with its quotes. Control characters are escaped as everywhere else, then the
// format's own escaping is applied.
std::string label(std::string_view text) {
  std::string to = "\"";
  for (char c : history::escaped(text)) {
    if (c == '\\' || c == '"') to.push_back('\\');
    to.push_back(c);
  }
  return to.append("\"");
}

class Page {
 public:
  explicit Page(const std::vector<Summary>& locks) : locks_(locks) {
    for (const Summary& lock : locks) {
      who_.push_back("lock=" + label(lock.story->name) + ",path=" + label(lock.story->path));
    }
  }

  void head(std::string_view metric, std::string_view type, std::string_view help) {
    text_.append("# HELP ").append(metric).append(" ").append(help).append("\n# TYPE ");
    text_.append(metric).append(" ").append(type).append("\n");
  }
  void plain(std::string_view metric, const std::string& value) {
    text_.append(metric).append(" ").append(value).append("\n");
  }
  void sample(std::string_view metric, std::size_t lock, std::string_view more,
              const std::string& value) {
    text_.append(metric)
        .append("{")
        .append(who_[lock])
        .append(more.empty() ? "" : ",")
        .append(more);
    text_.append("} ").append(value).append("\n");
  }
  // One sample a lock.
  void each(std::string_view metric, std::string_view type, std::string_view help,
            const std::function<std::string(const Summary&)>& value) {
    head(metric, type, help);
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      if (std::string words = value(locks_[i]); !words.empty()) sample(metric, i, {}, words);
    }
  }

  // One sample a lock that was looked at.
  void now(std::string_view metric, std::string_view help, const PresentLocks& present,
           std::uint64_t Present::*member) {
    each(metric, "gauge", help, [&](const Summary& of) {
      const auto at = present.find(of.story->path);
      return at == present.end() ? std::string() : std::to_string(at->second.*member);
    });
  }

  void runs() {
    head("atmost_runs_total", "counter", "Runs in the history, by how they ended.");
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      for (std::size_t status = 0; status < kFates; ++status) {
        if (RunStatus(status) == RunStatus::running) continue;
        sample("atmost_runs_total", i, "result=\"" + std::string(kFateNames[status]) + "\"",
               std::to_string(locks_[i].fates[status]));
      }
    }
  }

  void refusals() {
    head("atmost_refusals_total", "counter", "Requests refused, by reason.");
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      sample("atmost_refusals_total", i, "why=\"too_soon\"", std::to_string(locks_[i].too_soon));
      for (std::size_t why = 0; why < locks_[i].busy_why.size(); ++why) {
        const std::string_view name = why == 0 ? "other" : kWhyNames[why];
        if (locks_[i].busy_why[why] == 0 && name != "no_slot") continue;
        sample("atmost_refusals_total", i, "why=\"" + std::string(name) + "\"",
               std::to_string(locks_[i].busy_why[why]));
      }
    }
  }

  void run_times() {
    constexpr std::string_view kMetric = "atmost_run_duration_seconds";
    head(kMetric, "histogram", "How long the runs took that ended by themselves.");
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      const std::vector<std::int64_t>& times = locks_[i].times;
      const std::string bucket = std::string(kMetric) + "_bucket";
      for (std::int64_t edge : kEdgesMs) {
        const auto below = std::upper_bound(times.begin(), times.end(), edge * kMs) - times.begin();
        sample(bucket, i, "le=\"" + json::seconds(edge * kMs) + "\"", std::to_string(below));
      }
      sample(bucket, i, "le=\"+Inf\"", std::to_string(times.size()));
      sample(std::string(kMetric) + "_sum", i, {}, json::decimal(locks_[i].total_s, 6));
      sample(std::string(kMetric) + "_count", i, {}, std::to_string(times.size()));
    }
    constexpr std::string_view kQuantile = "atmost_run_duration_quantile_seconds";
    head(kQuantile, "summary", "Quantiles of the same times; 1 is the longest.");
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      const Summary& lock = locks_[i];
      if (lock.times.empty()) continue;
      sample(kQuantile, i, "quantile=\"0.5\"", json::seconds(lock.p50_ns));
      sample(kQuantile, i, "quantile=\"0.9\"", json::seconds(lock.p90_ns));
      sample(kQuantile, i, "quantile=\"0.99\"", json::seconds(lock.p99_ns));
      sample(kQuantile, i, "quantile=\"1\"", json::seconds(lock.max_ns));
      sample(std::string(kQuantile) + "_sum", i, {}, json::decimal(lock.total_s, 6));
      sample(std::string(kQuantile) + "_count", i, {}, std::to_string(lock.times.size()));
    }
  }

  std::string take() { return std::move(text_); }

 private:
  const std::vector<Summary>& locks_;
  std::vector<std::string> who_;
  std::string text_;
};

std::string moment(std::int64_t ns) { return ns == 0 ? std::string() : json::seconds(ns); }

}  // namespace

std::string prometheus_text(const std::vector<Summary>& locks, const PresentLocks& present,
                            std::size_t skipped, std::int64_t now_ns) {
  Page page(locks);
  page.runs();
  page.each("atmost_runs_unfinished", "gauge", "Runs whose end is not in the history yet.",
            [](const Summary& of) {
              return std::to_string(of.fates[static_cast<std::size_t>(RunStatus::running)]);
            });
  page.refusals();
  page.each("atmost_spam_requests_total", "counter",
            "Requests that kept arriving at or below the interval.",
            [](const Summary& of) { return std::to_string(of.spam); });
  page.each("atmost_takeovers_total", "counter", "Holders that were stopped to take their place.",
            [](const Summary& of) { return std::to_string(of.takeovers); });
  page.each("atmost_waits_total", "counter", "Requests that waited.",
            [](const Summary& of) { return std::to_string(of.waits); });
  page.each("atmost_wait_seconds_total", "counter", "Time that requests waited.",
            [](const Summary& of) { return json::seconds(of.waited_ns); });
  page.run_times();
  page.each("atmost_held_ratio", "gauge", "Share of the time in which a slot was held.",
            [](const Summary& of) { return json::decimal(of.held_share, 6); });
  page.each("atmost_slots_held_mean", "gauge", "Slots held on average.",
            [](const Summary& of) { return json::decimal(of.slots_mean, 6); });
  page.each("atmost_slots_max", "gauge", "The limit that was asked for last.",
            [](const Summary& of) { return std::to_string(of.story->max); });
  page.each("atmost_run_duration_trend_ratio", "gauge",
            "Run time at the end of the history by that at its beginning.", [](const Summary& of) {
              return of.trend.course == Course::unknown ? std::string()
                                                        : json::decimal(of.trend.ratio, 6);
            });
  page.each("atmost_last_start_timestamp_seconds", "gauge", "When a run was admitted last.",
            [](const Summary& of) { return moment(of.last_start_ns); });
  page.each("atmost_last_success_timestamp_seconds", "gauge",
            "When a run last ended with exit code 0.",
            [](const Summary& of) { return moment(of.last_success_ns); });
  page.now("atmost_holders", "Slots that are held now.", present, &Present::holders);
  page.now("atmost_waiters", "Callers that wait now.", present, &Present::waiters);
  page.head("atmost_history_skipped_lines", "gauge",
            "Lines of the history that could not be read.");
  page.plain("atmost_history_skipped_lines", std::to_string(skipped));
  page.head("atmost_stats_timestamp_seconds", "gauge", "When these numbers were made.");
  page.plain("atmost_stats_timestamp_seconds", json::seconds(now_ns));
  return page.take();
}

}  // namespace atmost::report
