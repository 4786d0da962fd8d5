#include "page.h"

#include <algorithm>
#include <cmath>

#include "buckets.h"
#include "json/json.h"
#include "present.h"
#include "reader/output.h"
#include "statistics.h"
#include "summary.h"

namespace atmost::report {

std::string base64(std::string_view bytes) {
  constexpr char kLetters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string to;
  to.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const auto byte = [&](std::size_t i) {
      return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0u;
    };
    const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
    to.push_back(kLetters[group >> 18 & 63]);
    to.push_back(kLetters[group >> 12 & 63]);
    to.push_back(at + 1 < bytes.size() ? kLetters[group >> 6 & 63] : '=');
    to.push_back(at + 2 < bytes.size() ? kLetters[group & 63] : '=');
  }
  return to;
}

namespace {

constexpr std::size_t kFewestBars = 8;
constexpr std::size_t kMostBars = 40;
constexpr std::size_t kFewestBuckets = 64;
constexpr std::size_t kMostBuckets = 16'384;
constexpr std::size_t kQueueBuckets = 4'096;
constexpr std::size_t kAllQueueBuckets = 100'000;
constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kHour = std::int64_t{3'600} * 1'000'000'000;
constexpr double kHeldScale = 100;

std::size_t events_of(const LockStory& story) { return story.runs.size() + story.marks.size(); }

// The largest number of events of a lock that is drawn one by one. Small locks come first; large
// ones share the rest.
std::size_t exact_limit(const std::vector<Summary>& locks) {
  std::vector<std::size_t> sizes;
  for (const Summary& lock : locks) sizes.push_back(events_of(*lock.story));
  std::sort(sizes.begin(), sizes.end());
  std::size_t left = kPageEvents;
  std::size_t limit = 0;
  for (std::size_t size : sizes) {
    // Locks of one size are all drawn one by one or none is, as none of them comes first.
    if (size > left) return size == limit ? size - 1 : limit;
    left -= size;
    limit = size;
  }
  return limit;
}

class Writer {
 public:
  Writer(const RunLedger& ledger, const std::vector<Summary>& locks)
      : locks_(locks),
        // A log of one moment is drawn a second wide.
        window_{ledger.first_ns(), std::max(ledger.last_ns(), ledger.first_ns() + kMs * 1000), 1},
        unit_ns_(window_.to_ns - window_.from_ns > kHour ? kMs : kUs),
        exact_limit_(exact_limit(locks)) {
    std::size_t large = 0;
    std::size_t waiting = 1;
    for (const Summary& lock : locks) {
      large += events_of(*lock.story) > exact_limit_;
      waiting += lock.waits > 0;
    }
    buckets_ =
        std::clamp(kPageBuckets / std::max<std::size_t>(large, 1), kFewestBuckets, kMostBuckets);
    queue_buckets_ = std::clamp(kAllQueueBuckets / waiting, kFewestBuckets, kQueueBuckets);
  }

  std::string write() const {
    std::string all = "[";
    std::vector<const LockStory*> stories;
    for (const Summary& lock : locks_) {
      all.append(all.size() > 1 ? ",\n" : "\n").append(lock_json(lock));
      stories.push_back(lock.story);
    }
    json::Object to;
    to.time("from", window_.from_ns).time("to", window_.to_ns).time("unit", unit_ns_);
    to.raw("queue", queue_json(stories)).raw("locks", all + "]");
    return to.str();
  }

 private:
  std::string lock_json(const Summary& lock) const {
    json::Object to;
    to.text("name", history::escaped(lock.story->name)).raw("n", summary_json(lock));
    to.text("verdict", verdict_on(lock));
    to.raw("bars", bars_json(lock));
    if (const std::optional<Learned> learned = learned_of(*lock.story)) {
      if (learned->limit_ns > 0) to.time("learned", learned->limit_ns);
      to.text("limit", learned->limit_words).text("risk", learned->risk_words);
    }
    if (events_of(*lock.story) <= exact_limit_) {
      to.text("runs", runs(*lock.story)).text("marks", marks(*lock.story));
    } else {
      to.number("steps", buckets_).text("buckets", buckets(*lock.story, slots_of(lock)));
    }
    to.number("slots", slots_of(lock));
    if (lock.waits > 0) to.raw("queue", queue_json({lock.story}));
    return to.str();
  }

  // The number of slots drawn at full height: at the height of a max that is never nearly reached,
  // the bars would be too low to compare.
  static std::uint64_t slots_of(const Summary& lock) {
    const auto max = static_cast<std::uint64_t>(std::max<std::int64_t>(lock.story->max, 1));
    return std::max<std::uint64_t>(1, std::min(max, lock.slots_most));
  }

  static std::string bars_json(const Summary& lock) {
    std::string edges = "[";
    std::string counts = "[";
    const auto bars =
        static_cast<std::size_t>(2 * std::sqrt(static_cast<double>(lock.times.size())));
    for (const Bar& bar : even_bars(lock.times, std::clamp(bars, kFewestBars, kMostBars))) {
      if (edges.size() == 1) edges.append(json::seconds(bar.from_ns));
      edges.append(",").append(json::seconds(bar.to_ns));
      counts.append(counts.size() > 1 ? "," : "").append(std::to_string(bar.count));
    }
    return "{\"edges\":" + edges + "],\"counts\":" + counts + "]}";
  }

  std::int64_t units(std::int64_t ns) const { return ns / unit_ns_; }

  // Each: start after that of the run before, run time, time waited, slot, status.
  std::string runs(const LockStory& story) const {
    Packer to;
    std::int64_t before = 0;
    for (const Run& run : story.runs) {
      // A run that began before the log does is drawn from its beginning on.
      const std::int64_t start = std::max(run.start_ns, window_.from_ns);
      const std::int64_t at = units(start - window_.from_ns);
      to.put_signed(at - before);
      to.put_signed(units(run.end_ns() - start));
      to.put_signed(units(run.waited_ns));
      to.put(run.slot);
      to.put(static_cast<std::uint64_t>(run.status));
      before = at;
    }
    return to.text();
  }

  // Each: moment after that of the mark before, time waited, kind.
  std::string marks(const LockStory& story) const {
    std::vector<Mark> sorted = story.marks;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Mark& one, const Mark& other) { return one.at_ns < other.at_ns; });
    Packer to;
    std::int64_t before = 0;
    for (const Mark& mark : sorted) {
      const std::int64_t at = units(mark.at_ns - window_.from_ns);
      to.put_signed(at - before);
      to.put_signed(units(mark.waited_ns));
      to.put(static_cast<std::uint64_t>(mark.kind));
      before = at;
    }
    return to.text();
  }

  // Each that is not empty: number of steps after the piece before, share held in hundredths, twice
  // the runs and one more if the others follow: failed, killed, too soon, busy, takeovers.
  std::string buckets(const LockStory& story, std::uint64_t slots) const {
    const std::vector<Bucket> all = buckets_of(story, {window_.from_ns, window_.to_ns, buckets_});
    Packer to;
    std::size_t before = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Bucket& one = all[i];
      if (one.empty()) continue;
      to.put(i - before);
      before = i;
      const double share = std::min(1.0, one.held / static_cast<double>(slots));
      to.put(static_cast<std::uint64_t>(std::ceil(share * kHeldScale)));
      const bool more = (one.failed | one.killed | one.too_soon | one.busy | one.takeovers) != 0;
      to.put(std::uint64_t{one.runs} * 2 + more);
      if (!more) continue;
      for (std::uint64_t number : {one.failed, one.killed, one.too_soon, one.busy, one.takeovers})
        to.put(number);
    }
    return to.text();
  }

  // Each piece in which a caller waited: number of steps after the piece before, the most waiters.
  std::string queue_json(const std::vector<const LockStory*>& stories) const {
    const std::vector<std::uint32_t> most =
        queue_of(stories, {window_.from_ns, window_.to_ns, queue_buckets_});
    Packer to;
    std::size_t before = 0;
    for (std::size_t i = 0; i < most.size(); ++i) {
      if (most[i] == 0) continue;
      to.put(i - before);
      to.put(most[i]);
      before = i;
    }
    return json::Object().number("steps", queue_buckets_).text("data", to.text()).str();
  }

  const std::vector<Summary>& locks_;
  Window window_;
  std::int64_t unit_ns_;
  std::size_t exact_limit_;
  std::size_t buckets_ = 1;
  std::size_t queue_buckets_ = 1;
};

}  // namespace

std::string page_data(const RunLedger& ledger, const std::vector<Summary>& locks) {
  return Writer(ledger, locks).write();
}

}  // namespace atmost::report
