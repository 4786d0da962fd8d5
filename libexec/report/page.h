// The page: one HTML file that needs no other.
#ifndef ATMOST_LIBEXEC_REPORT_PAGE_H
#define ATMOST_LIBEXEC_REPORT_PAGE_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "ledger.h"
#include "reader/record.h"
#include "summary.h"

namespace atmost::report {

// The page's tables, readable without its script: all locks, or the last runs of one.

// A table element: a row for each lock, in the order given. Row i has data-lock="i"; cells have
// what they are sorted by in data-v.
std::string locks_table(const std::vector<Summary>& locks);

class RecentRuns {
 public:
  // Keeps the fields of an `ended`; other lines are not about a whole run. The record is needed
  // during the call only.
  void take(const history::Record& record);
  // A section of the page with a table, the newest run first; empty if there is none.
  std::string html() const;

 private:
  static constexpr std::size_t kMost = 500;
  struct Ended {
    std::int64_t start_ns;
    std::int64_t waited_ns;
    std::int64_t ran_ns;
    std::int64_t pid;
    std::string how;  // as stats and the manual call it: "success", "exit 3", "signal TERM"
    std::string command, host;
    bool good;
  };
  std::deque<Ended> runs_;  // in the order of the log
  std::uint64_t all_ = 0;
};

// The parts of the page, made from the files in page/ when the program is built.
extern const std::string_view kPageFrame;   // page/page.html
extern const std::string_view kPageStyle;   // page/page.css
extern const std::string_view kPageScript;  // page/*.js, in one

// Text for people inside of HTML or SVG, in an element or a quoted attribute; control characters
// are escaped, too.
std::string html_text(std::string_view text);

// "2026-11-21 07:42:42 UTC"
std::string moment_words(std::int64_t at_ns);

// The same as an element, which the page's script puts into the reader's own zone.
std::string moment_html(std::int64_t at_ns);

// `runs` are shown if there is one lock. Everything in it comes from the log, `skipped` (lines that
// could not be read) and `now_ns`: the same input, the same page. A policy in its head lets no
// script run but its own, by its hash, and lets nothing be fetched.
std::string page_html(const RunLedger& ledger, const std::vector<Summary>& locks,
                      const RecentRuns& runs, std::size_t skipped, std::int64_t now_ns);

// One lock's timeline as a separate drawing.

// A whole SVG document, 1200 wide, from one moment to the other: each run and mark up to some
// thousands of them, pieces of time beyond that. Needs no other file; follows the reader's
// preference for light or dark.
std::string timeline_svg(const Summary& lock, std::int64_t from_ns, std::int64_t to_ns);

// The data that the page's script draws, as JSON that is small however long the log was.

// RFC 4648, with its padding.
std::string base64(std::string_view bytes);

// Seven bits a byte, the lowest first, the topmost bit set on all but the last.
class Packer {
 public:
  void put(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7)
      bytes_.push_back(static_cast<char>(0x80 | (number & 0x7F)));
    bytes_.push_back(static_cast<char>(number));
  }
  // A negative number, which should not occur, counts as zero.
  void put_signed(std::int64_t number) { put(number < 0 ? 0 : static_cast<std::uint64_t>(number)); }
  std::string text() const { return base64(bytes_); }

 private:
  std::string bytes_;
};

// These bounds keep the page under 5 MiB. Locks beyond kPageLocks, the least troubled ones, are
// left out. Runs and marks of the others are drawn one by one if all of them together are at most
// kPageEvents, otherwise in up to kPageBuckets pieces of time in all.
inline constexpr std::size_t kPageLocks = 500;
inline constexpr std::size_t kPageEvents = 60'000;
inline constexpr std::size_t kPageBuckets = 150'000;

// One JSON object; page/data.js reads it. `locks` in the order they are shown in, at most
// kPageLocks of them. Names are data: < > & are escaped, so that it can stand in a script element.
std::string page_data(const RunLedger& ledger, const std::vector<Summary>& locks);

}  // namespace atmost::report

#endif
