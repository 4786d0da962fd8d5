#include "ring.h"

#include <algorithm>
#include <array>
#include <functional>

#include "json_object.h"

namespace atmost::etcd {
namespace {

// A change that saves later callers less than this is not worth a write.
constexpr std::int64_t kNewsNs = 20'000'000;

std::int64_t aged(const Ring::Meeting& met, std::int64_t now_boot_ns) {
  return met.ahead_ns + drift_ns(now_boot_ns - met.at_boot_ns);
}

template <class Meetings>
auto find(Meetings& meetings, std::uint64_t observer, std::uint64_t observed) {
  return std::find_if(meetings.begin(), meetings.end(), [&](const Ring::Meeting& each) {
    return each.observer == observer && each.observed == observed;
  });
}

void replace(std::vector<Ring::Meeting>& meetings, const Ring::Meeting& by) {
  if (const auto old = find(meetings, by.observer, by.observed); old != meetings.end())
    meetings.erase(old);
  meetings.push_back(by);
}

// Numbers of the places in the text, which has each place once.
std::size_t number_of(std::vector<std::uint64_t>& places, std::uint64_t place) {
  const auto known = std::find(places.begin(), places.end(), place);
  if (known != places.end()) return static_cast<std::size_t>(known - places.begin());
  places.push_back(place);
  return places.size() - 1;
}

// A list of lists of `Width` integers, the first `places` of which are numbers of places. In the
// lists of earlier versions the last may be missing: 0.
template <std::size_t Width>
bool read_rows(const Json& from, const char* name, std::size_t shortest, std::size_t places,
               std::size_t count,
               const std::function<void(const std::array<std::int64_t, Width>&)>& take) {
  const auto rows = from.find(name);
  if (rows == from.end() || !rows->is_array()) return false;
  for (const Json& row : *rows) {
    if (!row.is_array() || row.size() > Width || row.size() < shortest) return false;
    std::array<std::int64_t, Width> values = {};
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!row[i].is_number_integer()) return false;
      values[i] = row[i].get<std::int64_t>();
      const bool exists = values[i] >= 0 && static_cast<std::size_t>(values[i]) < count;
      if (i < places && !exists) return false;
    }
    take(values);
  }
  return true;
}

}  // namespace

void Ring::add(const Entry& entry, const Rate& rate) {
  kept = std::max(kept, rate.count);
  window_ns = std::max(window_ns, rate.window.ns);
  entries.push_back(entry);
  if (entries.size() <= kept + 1) return;
  entries.erase(entries.begin(), entries.end() - kept - 1);
  dropped = true;
}

bool Ring::take_back(const Entry& entry) {
  if (entries.empty() || entries.back() != entry) return false;
  entries.pop_back();
  return true;
}

bool Ring::move(const Entry& entry, const Entry& later) {
  const auto found = std::find(entries.begin(), entries.end(), entry);
  if (found == entries.end()) return false;
  entries.erase(found);
  entries.push_back(later);
  return true;
}

std::string Ring::text() const {
  std::vector<std::uint64_t> places;
  Json rows = Json::array();
  for (const Entry& each : entries)
    rows.push_back(
        Json::array({number_of(places, each.place), each.boot_ns, each.real_us, each.late_ns}));
  Json met = Json::array();
  for (const Meeting& each : meetings) {
    met.push_back(Json::array({number_of(places, each.observer), number_of(places, each.observed),
                               each.ahead_ns, each.at_boot_ns}));
  }
  return Json{{"kept", kept},     {"window", window_ns}, {"dropped", dropped},
              {"places", places}, {"at", rows},          {"met", met}}
      .dump();
}

std::optional<Ring> parse_ring(std::string_view from) {
  const std::optional<Json> json = json_object(from);
  if (!json || !json->contains("kept") || !json->contains("window") || !json->contains("dropped") ||
      !json->contains("places"))
    return std::nullopt;
  const Json& kept = (*json)["kept"];
  const Json& window = (*json)["window"];
  const Json& dropped = (*json)["dropped"];
  const Json& listed = (*json)["places"];
  if (!kept.is_number_unsigned() || !window.is_number_integer() || !dropped.is_boolean() ||
      !listed.is_array() || kept.get<std::uint64_t>() > kMaxRate)
    return std::nullopt;
  Ring to;
  to.kept = kept.get<std::uint32_t>();
  to.window_ns = window.get<std::int64_t>();
  to.dropped = dropped.get<bool>();
  std::vector<std::uint64_t> places;
  for (const Json& place : listed) {
    if (!place.is_number_unsigned()) return std::nullopt;
    places.push_back(place.get<std::uint64_t>());
  }
  const auto place = [&](std::int64_t number) { return places[static_cast<std::size_t>(number)]; };
  const bool good = read_rows<4>(*json, "at", 3, 1, places.size(),
                                 [&](const auto& row) {
                                   to.entries.push_back({place(row[0]), row[1], row[2], row[3]});
                                 }) &&
                    read_rows<4>(*json, "met", 4, 2, places.size(), [&](const auto& row) {
                      to.meetings.push_back({place(row[0]), place(row[1]), row[2], row[3]});
                    });
  const bool fits = to.entries.size() <= kMaxRate + 1 && to.meetings.size() <= Ring::kMostMeetings;
  return good && fits ? std::optional(std::move(to)) : std::nullopt;
}

void Admissions::see(const Ring& ring, std::uint64_t place, const Instant& now,
                     std::int64_t seen_boot_ns) {
  ring_ = ring;
  place_ = place;
  now_ = now;
  news_ = false;
  newest_ = 0;
  bring_back(now);
  std::vector<std::uint64_t> seen;
  for (auto each = ring_.entries.rbegin(); each != ring_.entries.rend(); ++each) {
    const bool other = each->place != 0 && each->place != place_;
    if (!other || std::find(seen.begin(), seen.end(), each->place) != seen.end()) continue;
    seen.push_back(each->place);
    meet(each->place, each->boot_ns, seen_boot_ns);
  }
  latest_.resize(ring_.entries.size());
  std::int64_t next = now.boot_ns;
  for (std::size_t i = ring_.entries.size(); i-- > 0;) {
    const Ring::Entry& each = ring_.entries[i];
    std::int64_t moment = each.boot_ns + each.late_ns;
    if (each.place == 0) {
      moment = now.boot_ns - (now.real_ns - each.real_us * 1000);
    } else if (each.place != place_) {
      moment += ahead_of(each.place, seen_boot_ns);
    }
    if (i + 1 == latest_.size()) newest_ = moment;
    next = latest_[i] = std::min(moment, next);
  }
}

// An entry of a caller with --now that lies in the future counts from now on.
void Admissions::bring_back(const Instant& now) {
  if (now.given) return;
  for (Ring::Entry& each : ring_.entries) {
    if (each.place != 0 || each.real_us <= now.real_ns / 1000) continue;
    each = {place_, now.boot_ns, now.real_ns / 1000, 0};
    news_ = true;
  }
}

void Admissions::meet(std::uint64_t other, std::int64_t boot_ns, std::int64_t seen_boot_ns) {
  Ring::Meeting best = {place_, other, seen_boot_ns - boot_ns, seen_boot_ns};
  const auto stored = find(ring_.meetings, place_, other);
  const auto ours = find(met_, place_, other);
  const bool first = stored == ring_.meetings.end();
  const std::int64_t before = first ? 0 : aged(*stored, seen_boot_ns);
  if (!first && before < best.ahead_ns) best = *stored;
  if (ours != met_.end() && aged(*ours, seen_boot_ns) < aged(best, seen_boot_ns)) best = *ours;
  news_ = news_ || first || before - aged(best, seen_boot_ns) > kNewsNs;
  replace(met_, best);
}

std::int64_t Admissions::ahead_of(std::uint64_t other, std::int64_t now_boot_ns) const {
  return aged(*find(met_, place_, other), now_boot_ns);
}

std::vector<Stamp> Admissions::stamps() const {
  std::vector<Stamp> all;
  for (std::size_t i = 0; i < latest_.size(); ++i)
    all.push_back({ring_.entries[i].real_us * 1000, latest_[i], true, true});
  return all;
}

std::int64_t Admissions::due_boot_ns(const Rate& rate, const Instant& now) const {
  const std::size_t known = latest_.size();
  if (known == 0 || (known < rate.count && !ring_.dropped)) return 0;
  // Of those that were dropped nothing is known but that they came before the oldest that was kept.
  const std::int64_t first = latest_[known < rate.count ? 0 : known - rate.count];
  const std::int64_t due = plus(first, rate.window);
  return due > now.boot_ns ? due : 0;
}

Ring Admissions::known(const Rate& rate) const {
  Ring ring = ring_;
  ring.kept = std::max(ring.kept, rate.count);
  ring.window_ns = std::max(ring.window_ns, rate.window.ns);
  if (place_ != 0) {
    for (const Ring::Meeting& each : met_) replace(ring.meetings, each);
  }
  if (ring.meetings.size() > Ring::kMostMeetings)
    ring.meetings.erase(ring.meetings.begin(), ring.meetings.end() - Ring::kMostMeetings);
  return ring;
}

Ring Admissions::with_ours(const Rate& rate) const {
  Ring ring = known(rate);
  // Not before the one before it: then the first of any K is the oldest of them.
  const std::int64_t late_ns =
      latest_.empty() ? 0 : std::max<std::int64_t>(newest_ - now_.boot_ns, 0);
  const bool given = now_.given || place_ == 0;
  ring.add({given ? 0 : place_, given ? 0 : now_.boot_ns, now_.real_ns / 1000, given ? 0 : late_ns},
           rate);
  return ring;
}

}  // namespace atmost::etcd
