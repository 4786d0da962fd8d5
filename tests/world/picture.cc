#include "world/picture.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "world/draw.h"

namespace world {
namespace {

using What = Mark::Kind;

// The spans that one process has begun and not ended.
class Lane {
 public:
  Lane(int process, std::vector<Span>& spans) : process_(process), spans_(spans) {}

  void mark(const Mark& mark) {
    const std::int64_t at = mark.at_ns;
    if (!open(Span::Kind::alive)) begin(Span::Kind::alive, at);
    switch (mark.kind) {
      case What::asks:
        return begin(Span::Kind::asking, at, mark.value);
      case What::guard_taken:
        return begin(Span::Kind::guard, at);
      case What::guard_dropped:
        return end(Span::Kind::guard, at);
      case What::ticket_drawn:
        return begin(Span::Kind::ticket, at);
      case What::ticket_dropped:
        return end(Span::Kind::ticket, at);
      case What::blocks:
        return begin(Span::Kind::blocked, at, mark.value);
      case What::goes_on:
        return end(Span::Kind::blocked, at);
      case What::admitted:
        end(Span::Kind::asking, at);
        return begin(Span::Kind::holding, at, mark.value);
      case What::released:
        return end(Span::Kind::holding, at);
      case What::refused:
        return end(Span::Kind::asking, at);
      case What::frozen:
        return add(Span::Kind::frozen, at, mark.value, 0);
      case What::stopped:
        return add(Span::Kind::stopped, at, mark.value, 0);
      case What::killed:
        return end_all(at);
      case What::clock_stepped:
      case What::violation:
        return;
    }
  }

  void end_all(std::int64_t at) {
    while (!open_.empty()) end(open_.begin()->first, at);
  }

 private:
  bool open(Span::Kind kind) const { return open_.contains(kind); }
  void begin(Span::Kind kind, std::int64_t at, std::int64_t value = 0) {
    end(kind, at);
    open_[kind] = {process_, kind, at, at, value};
  }
  void end(Span::Kind kind, std::int64_t at) {
    const auto found = open_.find(kind);
    if (found == open_.end()) return;
    add(kind, found->second.from_ns, at, found->second.value);
    open_.erase(found);
  }
  void add(Span::Kind kind, std::int64_t from, std::int64_t to, std::int64_t value) {
    spans_.push_back({process_, kind, from, to, value});
  }

  int process_;
  std::vector<Span>& spans_;
  std::map<Span::Kind, Span> open_;
};

std::string name(std::int64_t process) { return "p" + std::to_string(process); }

}  // namespace

// The spans are made of all marks: some that began long ago reach into the last part.
Story tell(std::vector<Mark> marks) {
  std::ranges::stable_sort(marks, {}, &Mark::at_ns);
  Story story;
  story.end_ns = marks.empty() ? 0 : marks.back().at_ns;
  std::map<int, Lane> lanes;
  for (const Mark& mark : marks)
    if (mark.process != kNobody)
      lanes.try_emplace(mark.process, mark.process, story.spans).first->second.mark(mark);
  for (auto& [process, lane] : lanes) {
    lane.end_all(story.end_ns);
    story.lanes.push_back(process);
  }
  story.cut = marks.size() > kMostMarks;
  if (story.cut) marks.erase(marks.begin(), marks.end() - kMostMarks);
  const std::int64_t begin = marks.empty() ? 0 : marks.front().at_ns;
  for (Span& span : story.spans) {
    span.from_ns = std::max(span.from_ns, begin);
    span.to_ns = std::min(span.to_ns, story.end_ns);
  }
  std::erase_if(story.spans, [&](const Span& span) { return span.to_ns < begin; });
  std::ranges::stable_sort(story.spans, {}, &Span::kind);
  story.marks = std::move(marks);
  return story;
}

std::string sentence(const Mark& mark) {
  const std::string who = name(mark.process) + " ";
  const auto until = [&] { return " for " + duration(mark.value - mark.at_ns); };
  switch (mark.kind) {
    case What::asks:
      return who + "asks, run " + std::to_string(mark.value + 1);
    case What::guard_taken:
      return who + "takes the guard";
    case What::guard_dropped:
      return who + "drops the guard";
    case What::ticket_drawn:
      return who + "draws a ticket";
    case What::ticket_dropped:
      return who + "drops its ticket";
    case What::blocks:
      return who + "blocks" + (mark.value == kNobody ? "" : " on " + name(mark.value));
    case What::goes_on:
      return who + "goes on";
    case What::admitted:
      return who + "is admitted to slot " + std::to_string(mark.value);
    case What::released:
      return who + "releases its slot";
    case What::refused:
      return who + "is refused";
    case What::frozen:
      return who + "is frozen" + until();
    case What::stopped:
      return who + "is stopped" + until();
    case What::killed:
      return who + "is killed";
    case What::clock_stepped:
      return "the wall clock is set by " + duration(mark.value);
    case What::violation:
      return "the violation";
  }
  return {};
}

}  // namespace world
