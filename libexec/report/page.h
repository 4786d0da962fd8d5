// The page: one HTML file that needs no other.
#ifndef ATMOST_LIBEXEC_REPORT_PAGE_H
#define ATMOST_LIBEXEC_REPORT_PAGE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ledger.h"
#include "page_table.h"
#include "summary.h"

namespace atmost::report {

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

}  // namespace atmost::report

#endif
