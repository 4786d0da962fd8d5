
#include <algorithm>
#include <ctime>

#include "buckets.h"
#include "json/json.h"
#include "page.h"
#include "stats_table.h"
#include "summary.h"

namespace atmost::report {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::size_t kMostEvents = 4'000;
constexpr std::size_t kMostRows = 16;
constexpr double kLeft = 20, kRight = 1180;
constexpr double kTop = 64, kRow = 18;

constexpr char kStyle[] =
    "<style>"
    "svg{background:#fff;font:12px system-ui,sans-serif;font-variant-numeric:tabular-nums}"
    "text{fill:#5b646e}.name{fill:#1c2126;font-size:16px;font-weight:600}.grid{stroke:#e2dfd6}"
    ".success{fill:#2b6c9e}.failure{fill:#c77700}.killed{fill:#b5231c}.running,.unseen{fill:#"
    "a9c7de;stroke:#"
    "2b6c9e}"
    ".wait{stroke:#7b848e;stroke-width:1.5;fill:none}.busy{fill:#3c434b}.too_soon{fill:none;stroke:"
    "#7a4f9a;"
    "stroke-width:1.6}"
    ".soon{fill:#7a4f9a}.takeover{fill:none;stroke:#b5231c;stroke-width:2.4}"
    "@media "
    "(prefers-color-scheme:dark){svg{background:#1a1e22}text{fill:#9aa4ae}.name{fill:#e6e3dc}.grid{"
    "stroke:#"
    "2e343a}"
    ".success{fill:#6aaee0}.failure{fill:#f0a63c}.killed{fill:#ff7566}.running,.unseen{fill:#"
    "2f5876;stroke:#"
    "6aaee0}"
    ".wait{stroke:#8f99a3}.busy{fill:#c6cdd4}.too_soon{stroke:#c49be0}.takeover{stroke:#ff7566}}"
    "</style>\n";

std::string coordinate(double value) { return json::decimal(value, 1); }

class Drawing {
 public:
  Drawing(const Summary& lock, std::int64_t from_ns, std::int64_t to_ns)
      : lock_(lock),
        story_(*lock.story),
        window_{from_ns, std::max(to_ns, from_ns + kSecond), 1},
        exact_(story_.runs.size() + story_.marks.size() <= kMostEvents),
        rows_(exact_ ? std::clamp<std::size_t>(std::min<std::uint64_t>(most_slot(), kMostRows), 1,
                                               kMostRows)
                     : 3),
        foot_(kTop + 22 + kRow * static_cast<double>(rows_)) {}

  std::string draw() {
    const double height = foot_ + 34;
    const std::string name = html_text(story_.name);
    const std::string verdict = html_text(verdict_on(lock_));
    text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1200 " + coordinate(height) +
            "\" width=\"1200\" height=\"" + coordinate(height) + "\" role=\"img\">\n<title>" +
            name + "</title>\n" + kStyle;
    words(kLeft, 28, "name", name);
    words(kLeft, 48, "",
          grouped(lock_.runs) + (lock_.runs == 1 ? " run" : " runs") +
              (verdict.empty() ? "" : "; ") + verdict);
    axis();
    if (exact_) {
      for (const Run& run : story_.runs) draw_run(run);
      for (const Mark& mark : story_.marks) draw_mark(mark);
    } else {
      draw_pieces();
    }
    return text_ + "</svg>\n";
  }

 private:
  std::uint64_t most_slot() const {
    std::uint64_t most = 1;
    for (const Run& run : story_.runs) most = std::max<std::uint64_t>(most, run.slot);
    return most;
  }
  double x(std::int64_t at_ns) const {
    return kLeft + (kRight - kLeft) * std::clamp(window_.place(at_ns), 0.0, 1.0);
  }

  void words(double at_x, double at_y, const char* kind, const std::string& text) {
    text_ += "<text x=\"" + coordinate(at_x) + "\" y=\"" + coordinate(at_y) + "\"" +
             (*kind == '\0' ? "" : " class=\"" + std::string(kind) + "\"") + ">" + text +
             "</text>\n";
  }
  void box(const char* kind, double from, double y, double width, double height,
           const std::string& title) {
    text_ += "<rect class=\"" + std::string(kind) + "\" x=\"" + coordinate(from) + "\" y=\"" +
             coordinate(y) + "\" width=\"" + coordinate(std::max(width, 1.0)) + "\" height=\"" +
             coordinate(height) + "\"";
    text_ += title.empty() ? "/>\n" : "><title>" + html_text(title) + "</title></rect>\n";
  }
  void path(const char* kind, const std::string& steps) {
    text_ += "<path class=\"" + std::string(kind) + "\" d=\"" + steps + "\"/>\n";
  }

  void axis() {
    constexpr int kTicks = 6;
    const std::int64_t span = window_.to_ns - window_.from_ns;
    for (int i = 0; i < kTicks; ++i) {
      const std::int64_t at_ns = window_.from_ns + span / kTicks * i;
      path("grid", "M" + coordinate(x(at_ns)) + " " + coordinate(kTop) + "V" + coordinate(foot_));
      words(x(at_ns), foot_ + 20, "", moment_words(at_ns));
    }
    path("grid", "M" + coordinate(kLeft) + " " + coordinate(foot_) + "H" + coordinate(kRight));
  }

  double row_of(const Run& run) const {
    const std::size_t row = (std::max<std::uint32_t>(run.slot, 1) - 1) % rows_;
    return kTop + 16 + kRow * static_cast<double>(row);
  }

  void draw_run(const Run& run) {
    if (run.end_ns() < window_.from_ns) return;
    const double from = x(run.start_ns);
    const double y = row_of(run);
    if (run.waited_ns > 0 && from - x(run.start_ns - run.waited_ns) > 1) {
      const std::string asked = coordinate(x(run.start_ns - run.waited_ns));
      path("wait", "M" + asked + " " + coordinate(y + 3) + "v8m0 -4H" + coordinate(from));
    }
    const std::string kind(kFateNames[static_cast<std::size_t>(run.status)]);
    box(kind.c_str(), from, y, x(run.end_ns()) - from, kRow - 4,
        moment_words(run.start_ns) + ", " + kind + ", " + span_words(run.ran_ns));
  }

  void draw_mark(const Mark& mark) {
    const std::string at = coordinate(x(mark.at_ns));
    switch (mark.kind) {
      case Mark::Kind::busy:
        path("busy", "M" + at + " " + coordinate(kTop + 11) + "l-4 -7h8z");
        break;
      case Mark::Kind::too_soon:
        text_ += "<circle class=\"too_soon\" cx=\"" + at + "\" cy=\"" + coordinate(kTop + 7) +
                 "\" r=\"3.2\"/>\n";
        break;
      case Mark::Kind::takeover:
        path("takeover", "M" + at + " " + coordinate(kTop + 18) + "m-4 0l8 8m0 -8l-8 8");
        break;
    }
  }

  // Height: the share of the slots that was held. At the bottom, failed and killed runs; at the
  // top, refusals.
  void draw_pieces() {
    const Window window{window_.from_ns, window_.to_ns, static_cast<std::size_t>(kRight - kLeft)};
    const auto slots = static_cast<double>(std::max<std::uint64_t>(
        1, std::min(static_cast<std::uint64_t>(std::max<std::int64_t>(story_.max, 1)),
                    lock_.slots_most)));
    const double room = foot_ - kTop - 20;
    double at = kLeft;
    for (const Bucket& one : buckets_of(story_, window)) {
      const double high = room * std::min(1.0, one.held / slots);
      if (one.held > 0 || one.runs > 0)
        box("success", at, foot_ - 6 - std::max(high, 1.0), 1, std::max(high, 1.0), {});
      if (one.killed + one.takeovers > 0) box("killed", at, foot_ - 5, 1, 5, {});
      if (one.failed > 0 && one.killed == 0) box("failure", at, foot_ - 5, 1, 3, {});
      if (one.busy + one.too_soon > 0) box(one.busy > 0 ? "busy" : "soon", at, kTop + 2, 1, 6, {});
      at += 1;
    }
  }

  const Summary& lock_;
  const LockStory& story_;
  Window window_;
  bool exact_;
  std::size_t rows_;
  double foot_;
  std::string text_;
};

}  // namespace

std::string timeline_svg(const Summary& lock, std::int64_t from_ns, std::int64_t to_ns) {
  return Drawing(lock, from_ns, to_ns).draw();
}

}  // namespace atmost::report
