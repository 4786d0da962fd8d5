#include "page.h"

#include <algorithm>
#include <ctime>
#include <initializer_list>
#include <set>
#include <utility>

#include "core/words.h"
#include "json/json.h"
#include "reader/output.h"
#include "request/sha256.h"
#include "stats_table.h"

namespace atmost::report {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::string hash_of(std::string_view text) {
  request::Sha256 sha;
  unsigned char digest[request::Sha256::kBytes];
  sha.add(text);
  sha.finish(digest);
  return "'sha256-" + base64({reinterpret_cast<const char*>(digest), sizeof digest}) + "'";
}

// The frame with each {{NAME}} replaced. The inserted text is not looked at again.
std::string fill(std::string_view frame,
                 std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  std::string to;
  while (true) {
    const std::size_t open = frame.find("{{");
    const std::size_t close = frame.find("}}", open);
    if (open == std::string_view::npos || close == std::string_view::npos) return to.append(frame);
    to.append(frame.substr(0, open));
    const std::string_view name = frame.substr(open + 2, close - open - 2);
    for (const auto& [wanted, value] : values) {
      if (wanted == name) to.append(value);
    }
    frame.remove_prefix(close + 2);
  }
}

std::string counted(std::uint64_t number, const char* one, const char* more) {
  return grouped(number) + (number == 1 ? one : more);
}

// A fact at the head of the page.
std::string fact(const std::string& number, const char* words, const char* kind) {
  return "<div class=\"fact " + std::string(kind) + "\"><dd>" + number + "</dd><dt>" + words +
         "</dt></div>";
}

std::string facts(const std::vector<Summary>& locks) {
  std::uint64_t runs = 0, failed = 0, killed = 0, too_soon = 0, busy = 0, spam = 0, waits = 0;
  for (const Summary& lock : locks) {
    runs += lock.runs;
    failed += lock.failed();
    killed += lock.killed();
    too_soon += lock.too_soon;
    busy += lock.busy;
    spam += lock.spam;
    waits += lock.waits;
  }
  return fact(grouped(locks.size()), locks.size() == 1 ? "lock" : "locks", "plain") +
         fact(grouped(runs), "runs", "ok") + fact(grouped(failed), "failed", "failure") +
         fact(grouped(killed), "killed", "killed") +
         fact(grouped(busy), "refused as busy", "busy") +
         fact(grouped(too_soon), "refused as too soon", "soon") +
         fact(grouped(spam), "came too often", "soon") + fact(grouped(waits), "waits", "wait");
}

std::string subtitle(const RunLedger& ledger) {
  if (ledger.empty())
    return "Nothing has happened yet. Run a command under a lock, as in “atmost run LOCK COMMAND”, "
           "and "
           "make this page again.";
  const std::int64_t span = ledger.last_ns() - ledger.first_ns();
  return moment_html(ledger.first_ns()) + " to " + moment_html(ledger.last_ns()) +
         (span >= kSecond ? ": " + span_words(span) : "");
}

std::string title_of(const RunLedger& ledger) {
  std::set<std::string> hosts;
  for (const LockStory& lock : ledger.locks()) {
    if (!lock.host.empty()) hosts.insert(lock.host);
  }
  const std::string where = hosts.empty()       ? ""
                            : hosts.size() == 1 ? " on " + *hosts.begin()
                                                : " on " + std::to_string(hosts.size()) + " hosts";
  const bool one = ledger.locks().size() == 1;
  return (one ? ledger.locks().front().name + ", a lock of atmost" : "atmost") + where;
}

std::string colophon(std::size_t skipped, std::size_t left_out, std::int64_t now_ns) {
  std::string to = "Made by atmost report on " + moment_html(now_ns) + ".";
  if (skipped > 0) {
    to += " " + counted(skipped, " line of the history was", " lines of the history were") +
          " skipped: torn, or not written by atmost.";
  }
  if (left_out > 0) {
    to += " " + counted(left_out, " quieter lock is", " quieter locks are") +
          " not shown; atmost stats lists all.";
  }
  return to;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string to;
  for (char c : history::escaped(text)) {
    switch (c) {
      case '&':
        to.append("&amp;");
        break;
      case '<':
        to.append("&lt;");
        break;
      case '>':
        to.append("&gt;");
        break;
      case '"':
        to.append("&quot;");
        break;
      case '\'':
        to.append("&#39;");
        break;
      default:
        to.push_back(c);
    }
  }
  return to;
}

std::string moment_words(std::int64_t at_ns) {
  const std::time_t when = at_ns / kSecond;
  struct tm parts = {};
  char words[64];
  if (localtime_r(&when, &parts) == nullptr) return "?";
  return {words, std::strftime(words, sizeof words, "%Y-%m-%d %H:%M:%S %Z", &parts)};
}

std::string moment_html(std::int64_t at_ns) {
  return "<time data-at=\"" + std::to_string(at_ns / kSecond) + "\">" + moment_words(at_ns) +
         "</time>";
}

std::string page_html(const RunLedger& ledger, const std::vector<Summary>& locks,
                      const RecentRuns& runs, std::size_t skipped, std::int64_t now_ns) {
  const std::vector<Summary> shown(
      locks.begin(),
      locks.begin() + static_cast<std::ptrdiff_t>(std::min(locks.size(), kPageLocks)));
  const std::string title = html_text(title_of(ledger));
  const std::string policy = "default-src 'none'; script-src " + hash_of(kPageScript) +
                             "; style-src " + hash_of(kPageStyle);
  return fill(kPageFrame, {{"POLICY", policy},
                           {"TITLE", title},
                           {"STYLE", kPageStyle},
                           {"SUBTITLE", subtitle(ledger)},
                           {"FACTS", facts(locks)},
                           {"TABLE", locks_table(shown)},
                           {"RUNS", locks.size() == 1 ? runs.html() : ""},
                           {"EMPTY", ledger.empty() ? "empty" : "full"},
                           {"COLOPHON", colophon(skipped, locks.size() - shown.size(), now_ns)},
                           {"DATA", json::safe_in_html(page_data(ledger, shown))},
                           {"SCRIPT", kPageScript}});
}

}  // namespace atmost::report
