#include "world/shrink.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace world {
namespace {

bool is_switch(const Event& event) { return event.kind == Event::Kind::run_next; }

// A setting that is not at its default. Exactly one of the pointers is set.
struct Setting {
  std::size_t caller = 0;
  std::size_t run = 0;
  const Field<Run>* of_run = nullptr;
  const Field<Caller>* of_caller = nullptr;
};

std::vector<Setting> settings(const Script& script) {
  std::vector<Setting> found;
  for (std::size_t c = 0; c < script.callers.size(); ++c) {
    const Caller& caller = script.callers[c];
    for (const auto& field : fields<Caller>())
      if (caller.*field.value != Caller{}.*field.value) found.push_back({c, 0, nullptr, &field});
    for (std::size_t r = 0; r < caller.runs.size(); ++r)
      for (const auto& field : fields<Run>())
        if (caller.runs[r].*field.value != Run{}.*field.value)
          found.push_back({c, r, &field, nullptr});
  }
  return found;
}

void set_default(Script& script, const Setting& setting) {
  Caller& caller = script.callers[setting.caller];
  if (setting.of_caller) caller.*setting.of_caller->value = Caller{}.*setting.of_caller->value;
  if (setting.of_run)
    caller.runs[setting.run].*setting.of_run->value = Run{}.*setting.of_run->value;
}

constexpr int kDropped = -1;  // the process of an event that is left out

// A caller without runs takes no part; nothing can be done to it or ask it to run.
void tidy(Script& script) {
  const auto idle = [&](std::int64_t process) {
    const auto index = static_cast<std::size_t>(process);
    return index < script.callers.size() && script.callers[index].runs.empty();
  };
  std::erase_if(script.events, [&](const Event& event) {
    return event.process == kDropped || idle(event.process) ||
           (is_switch(event) && idle(event.value));
  });
  for (Caller& caller : script.callers)
    if (caller.runs.empty()) caller = {};
  while (script.callers.size() > 1 && script.callers.back().runs.empty()) script.callers.pop_back();
}

// `whole` without those of the parts that are not in `left` (rising). The last is dropped first:
// the numbers of those before it stay as they are.
template <class Part, class Drop>
Script reduced(Script whole, const std::vector<Part>& parts, const std::vector<std::size_t>& left,
               Drop drop) {
  auto kept = left.rbegin();
  for (std::size_t i = parts.size(); i > 0; --i) {
    if (kept != left.rend() && *kept == i - 1)
      ++kept;
    else
      drop(whole, parts[i - 1]);
  }
  tidy(whole);
  return whole;
}

class Shortener {
 public:
  Shortener(Script script, const Breaks& breaks, const GoOn& go_on)
      : best_(std::move(script)), breaks_(breaks), go_on_(go_on) {}

  Script run() {
    for (bool again = true; again;) {
      const Script before = best_;
      drop_events(false);
      drop_callers();
      drop_runs();
      drop_parts(settings(best_), set_default);
      drop_events(true);
      again = best_ != before && go_on_();
    }
    return best_;
  }

 private:
  // Tries without all parts, then without each half, quarter and so on, at last without each one.
  // The end is tried first: without it the world is the same up to there.
  template <class Part, class Drop>
  void drop_parts(const std::vector<Part>& parts, Drop drop) {
    const Script whole = best_;
    std::vector<std::size_t> left(parts.size());
    std::iota(left.begin(), left.end(), 0);
    for (std::size_t chunk = parts.size(); chunk > 0; chunk /= 2) {
      for (std::size_t end = left.size(); end > 0;) {
        const std::size_t begin = end > chunk ? end - chunk : 0;
        std::vector<std::size_t> fewer = left;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(begin),
                    fewer.begin() + static_cast<std::ptrdiff_t>(end));
        if (accept(reduced(whole, parts, fewer, drop))) left = std::move(fewer);
        end = begin;
      }
    }
  }

  bool accept(Script candidate) {
    if (!go_on_() || breaks_(candidate) != best_.breaks) return false;
    best_ = std::move(candidate);
    return true;
  }

  void drop_events(bool switches) {
    std::vector<std::size_t> parts;
    for (std::size_t i = 0; i < best_.events.size(); ++i)
      if (is_switch(best_.events[i]) == switches) parts.push_back(i);
    drop_parts(parts, [](Script& script, std::size_t i) { script.events[i].process = kDropped; });
  }

  void drop_callers() {
    std::vector<std::size_t> parts;
    for (std::size_t i = 0; i < best_.callers.size(); ++i)
      if (!best_.callers[i].runs.empty()) parts.push_back(i);
    drop_parts(parts, [](Script& script, std::size_t i) { script.callers[i].runs.clear(); });
  }

  void drop_runs() {
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    for (std::size_t c = 0; c < best_.callers.size(); ++c)
      for (std::size_t r = 0; r < best_.callers[c].runs.size(); ++r) parts.emplace_back(c, r);
    drop_parts(parts, [](Script& script, const auto& part) {
      std::vector<Run>& runs = script.callers[part.first].runs;
      runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(part.second));
    });
  }

  Script best_;
  const Breaks& breaks_;
  const GoOn& go_on_;
};

}  // namespace

Script shorten(Script script, const Breaks& breaks, const GoOn& go_on) {
  script.rates = {};  // nothing is drawn where events are listed
  return Shortener(std::move(script), breaks, go_on).run();
}

}  // namespace world
