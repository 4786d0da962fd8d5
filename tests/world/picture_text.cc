#include <cstdio>

#include "world/picture.h"

namespace world {
namespace {

constexpr std::string_view kLegend =
    "F frozen, S stopped, B blocked, G has the guard, # has a slot, T has a ticket, ? asks, . is "
    "there\n";

char letter(Span::Kind kind) {
  switch (kind) {
    case Span::Kind::alive:
      return '.';
    case Span::Kind::asking:
      return '?';
    case Span::Kind::ticket:
      return 'T';
    case Span::Kind::holding:
      return '#';
    case Span::Kind::guard:
      return 'G';
    case Span::Kind::blocked:
      return 'B';
    case Span::Kind::stopped:
      return 'S';
    case Span::Kind::frozen:
      return 'F';
  }
  return ' ';
}

// Of the spans that have begun and not ended behind a mark of this time, the last hides the others.
char state(const Story& story, int process, std::int64_t at) {
  char shown = ' ';
  for (const Span& span : story.spans)
    if (span.process == process && span.from_ns <= at &&
        (at < span.to_ns || (at == span.to_ns && at == story.end_ns)))
      shown = letter(span.kind);
  return shown;
}

}  // namespace

std::string text_picture(const Script& script, const Result& result) {
  const Story story = tell(result.marks);
  std::string text = "seed " + std::to_string(script.seed);
  if (!script.plant.empty()) text += ", planted: " + script.plant;
  text += "\n";
  text += kLegend;
  if (story.cut) text += "… before it more happened\n";
  text += "           time";
  for (const int lane : story.lanes) text += (lane < 10 ? "  p" : " p") + std::to_string(lane);
  text += "\n";
  for (const Mark& mark : story.marks) {
    char time[32];
    std::snprintf(time, sizeof time, "%14.9fs", static_cast<double>(mark.at_ns) / 1e9);
    text += time;
    for (const int lane : story.lanes) text += std::string("   ") + state(story, lane, mark.at_ns);
    text += "   ";
    text +=
        mark.kind == Mark::Kind::violation ? result.breaks + ": " + result.text : sentence(mark);
    text += "\n";
  }
  return text;
}

}  // namespace world
