#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <set>

#include "world/draw.h"
#include "world/picture.h"

namespace world {
namespace {

constexpr double kLeft = 110;  // names of the lanes
constexpr double kRight = 80;
constexpr double kTop = 74;  // title, legend and times
constexpr double kLane = 58;
constexpr double kLeastWidth = 980;
constexpr std::size_t kLettersInAWidth = 130;

constexpr std::string_view kStyle = R"svg(<style>
text{font:12px sans-serif;fill:#222}
.title{font-weight:bold;font-size:15px}
.small{font-size:10px;fill:#555}
.lane{fill:#f6f6f4}
.alive{stroke:#999}
.asking{fill:#d8d8d8}
.holding{fill:#4c9f5b}
.inside{fill:#fff;font-size:10px}
.ticket{fill:#e0a100}
.guard{fill:#2a4b9b}
.blocked{stroke:#b04a00;stroke-width:2;stroke-dasharray:2 3;fill:none}
.on{stroke:#b04a00;fill:none;marker-end:url(#arrow)}
.frozen{fill:url(#ice)}
.stopped{fill:url(#halt)}
.killed{stroke:#c00000;stroke-width:3}
.clock{stroke:#7a3fa0;stroke-dasharray:4 3}
.tick{stroke:#ddd}
.violation{stroke:#c00000;stroke-width:2}
.words{fill:#c00000;font-weight:bold}
</style>
<defs>
<pattern id="ice" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="7" height="7" fill="#d9ecfa"/><rect width="2" height="7" fill="#8cbfe6"/></pattern>
<pattern id="halt" width="7" height="7" patternUnits="userSpaceOnUse"
 patternTransform="rotate(-45)">
<rect width="7" height="7" fill="#f8e4ee"/><rect width="2" height="7" fill="#dd9abb"/></pattern>
<marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
 orient="auto"><path d="M0 0L8 4L0 8z" fill="#b04a00"/></marker>
</defs>
)svg";

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}
std::string seconds(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f s", static_cast<double>(ns) / 1e9);
  return text;
}
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '<')
      safe += "&lt;";
    else if (letter == '&')
      safe += "&amp;";
    else if (static_cast<unsigned char>(letter) >= ' ')
      safe += letter;
  }
  return safe;
}

// Where moments are from left to right.
class Axis {
 public:
  explicit Axis(const Story& story) {
    std::set<std::int64_t> moments;
    for (const Mark& mark : story.marks) moments.insert(mark.at_ns);
    for (const Span& span : story.spans) moments.insert({span.from_ns, span.to_ns});
    double x = kLeft;
    std::int64_t before = moments.empty() ? 0 : *moments.begin();
    for (const std::int64_t at : moments) {
      x += at == before ? 8 : 4 + 7 * std::log10(1 + static_cast<double>(at - before) / 100);
      x_[at] = x;
      before = at;
    }
    const double stretch =
        x + kRight < kLeastWidth ? (kLeastWidth - kRight - kLeft) / (x - kLeft) : 1;
    for (auto& [at, where] : x_) where = kLeft + (where - kLeft) * stretch;
    width_ = std::max(x + kRight, kLeastWidth);
  }
  double x(std::int64_t at) const { return x_.at(at); }
  double width() const { return width_; }
  const std::map<std::int64_t, double>& moments() const { return x_; }

 private:
  std::map<std::int64_t, double> x_;
  double width_;
};

class Drawing {
 public:
  Drawing(const Script& script, const Result& result)
      : script_(script), result_(result), story_(tell(result.marks)), axis_(story_) {}

  std::string svg() {
    lanes();
    times();
    for (const Span::Kind first : {Span::Kind::frozen, Span::Kind::stopped}) spans(first);
    for (const Span& span : story_.spans)
      if (span.kind < Span::Kind::stopped) draw(span);
    for (const Mark& mark : story_.marks) draw(mark);
    const double height = words();
    std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
                       number(axis_.width()) + "\" height=\"" + number(height) + "\">\n";
    text += kStyle;
    text += "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
    return text + title() + body_ + "</svg>\n";
  }

 private:
  // The lane's number from the top.
  double top(int process) const {
    const auto lane = std::ranges::lower_bound(story_.lanes, process);
    return kTop + kLane * static_cast<double>(lane - story_.lanes.begin());
  }
  double bottom() const { return kTop + kLane * static_cast<double>(story_.lanes.size()); }

  void rect(std::string_view style, double x, double y, double width, double height,
            const std::string& tip = {}) {
    body_ += "<rect class=\"" + std::string(style) + "\" x=\"" + number(x) + "\" y=\"" + number(y) +
             "\" width=\"" + number(width) + "\" height=\"" + number(height) + "\">";
    if (!tip.empty()) body_ += "<title>" + escaped(tip) + "</title>";
    body_ += "</rect>\n";
  }
  void line(std::string_view style, double x, double y, double to_x, double to_y) {
    body_ += "<path class=\"" + std::string(style) + "\" d=\"M" + number(x) + " " + number(y) +
             "L" + number(to_x) + " " + number(to_y) + "\"/>\n";
  }
  void text(std::string_view style, double x, double y, std::string_view words) {
    body_ += "<text class=\"" + std::string(style) + "\" x=\"" + number(x) + "\" y=\"" + number(y) +
             "\">" + escaped(words) + "</text>\n";
  }

  std::string title() const {
    std::string words = "Seed " + std::to_string(script_.seed);
    if (!script_.plant.empty()) words += ", planted: " + script_.plant;
    if (story_.cut) words += " (the end of the world)";
    std::string all = "<text class=\"title\" x=\"10\" y=\"22\">" + escaped(words) + "</text>\n";
    double x = 10;
    for (const auto& [style, meaning] : {std::pair{"asking", "asks"},
                                         {"holding", "has a slot"},
                                         {"ticket", "has a ticket"},
                                         {"guard", "has the guard"},
                                         {"frozen", "is frozen"},
                                         {"stopped", "is stopped"}}) {
      all += "<rect class=\"" + std::string(style) + "\" x=\"" + number(x) +
             "\" y=\"33\" width=\"16\" height=\"10\"/><text class=\"small\" x=\"" + number(x + 20) +
             "\" y=\"42\">" + meaning + "</text>\n";
      x += 105;
    }
    return all + "<path class=\"blocked\" d=\"M" + number(x) +
           " 38h16\"/><text class=\"small\" x=\"" + number(x + 20) +
           "\" y=\"42\">is blocked</text>\n";
  }

  void lanes() {
    for (const int lane : story_.lanes) {
      const double y = top(lane);
      rect("lane", 0, y + 1, axis_.width(), kLane - 2);
      text({}, 10, y + 24, "p" + std::to_string(lane));
      const auto index = static_cast<std::size_t>(lane);
      if (index >= script_.callers.size()) continue;
      const Caller& caller = script_.callers[index];
      for (const Field<Caller>& field : fields<Caller>())
        if (field.value == &Caller::kind)
          text("small", 10, y + 40, field.words[static_cast<std::size_t>(caller.kind)]);
    }
  }

  void times() {
    double free_from = kLeft;
    for (const auto& [at, x] : axis_.moments()) {
      if (x < free_from) continue;
      line("tick", x, kTop - 10, x, bottom());
      text("small", x, kTop - 13, seconds(at));
      free_from = x + 76;
    }
  }

  void spans(Span::Kind kind) {
    for (const Span& span : story_.spans)
      if (span.kind == kind) draw(span);
  }

  void draw(const Span& span) {
    const double y = top(span.process);
    const double x = axis_.x(span.from_ns);
    const double width = std::max(axis_.x(span.to_ns) - x, 1.5);
    const std::string tip = seconds(span.from_ns) + " to " + seconds(span.to_ns);
    switch (span.kind) {
      case Span::Kind::alive:
        return line("alive", x, y + 20, x + width, y + 20);
      case Span::Kind::asking:
        rect("asking", x, y + 12, width, 16, tip);
        if (width > 40) text("small", x + 3, y + 24, "run " + std::to_string(span.value + 1));
        return;
      case Span::Kind::ticket:
        return rect("ticket", x, y + 31, width, 6, tip);
      case Span::Kind::holding:
        rect("holding", x, y + 12, width, 16, tip);
        if (width > 36) text("inside", x + 3, y + 24, "slot " + std::to_string(span.value));
        return;
      case Span::Kind::guard:
        return rect("guard", x, y + 40, width, 8, tip);
      case Span::Kind::blocked:
        line("blocked", x, y + 52, x + width, y + 52);
        if (span.value != kNobody && std::ranges::binary_search(story_.lanes, span.value))
          line("on", x, y + 52, x, top(static_cast<int>(span.value)) + 20);
        return;
      case Span::Kind::stopped:
        return rect("stopped", x, y + 2, width, kLane - 4, tip);
      case Span::Kind::frozen:
        return rect("frozen", x, y + 2, width, kLane - 4, tip);
    }
  }

  void draw(const Mark& mark) {
    const double x = axis_.x(mark.at_ns);
    if (mark.kind == Mark::Kind::killed) {
      const double y = top(mark.process) + 20;
      line("killed", x - 6, y - 6, x + 6, y + 6);
      line("killed", x - 6, y + 6, x + 6, y - 6);
    } else if (mark.kind == Mark::Kind::clock_stepped) {
      line("clock", x, kTop, x, bottom());
      text("small", x + 3, bottom() - 4, sentence(mark));
    } else if (mark.kind == Mark::Kind::violation) {
      line("violation", x, kTop - 8, x, bottom() + 8);
    }
  }

  // The violation in words; the height of all.
  double words() {
    double y = bottom() + 26;
    std::string_view rest = result_.text;
    if (!result_.breaks.empty()) text("words", 10, y, result_.breaks);
    while (!rest.empty()) {
      y += 17;
      const std::size_t end =
          rest.size() <= kLettersInAWidth ? rest.size() : rest.rfind(' ', kLettersInAWidth);
      const std::string_view part =
          rest.substr(0, end == std::string_view::npos ? kLettersInAWidth : end);
      text({}, 10, y, part);
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    }
    return y + 16;
  }

  const Script& script_;
  const Result& result_;
  Story story_;
  Axis axis_;
  std::string body_;
};

}  // namespace

std::string svg_picture(const Script& script, const Result& result) {
  return Drawing(script, result).svg();
}

}  // namespace world
