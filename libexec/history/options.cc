#include "options.h"

#include <utility>

#include "core/parse.h"
#include "options/words.h"
#include "reader/output.h"

namespace atmost::history {
namespace {

constexpr char kUsage[] =
    "usage: atmost history [OPTION]... [LOCK]...\n\n"
    "what happened: admissions, refusals, takeovers and ends, oldest first\n\n"
    "      --event KIND      admitted, denied, expired, signalled, ended, lost,\n"
    "                        stopping, vanished, undelivered, unreached, limited\n"
    "                        (several with commas)\n"
    "      --outcome WHAT    success, failure, killed, timed_out, lost, too_soon,\n"
    "                        busy (several with commas)\n"
    "  -n, --last N          only the last N of those\n"
    "  -f, --follow          go on with what happens from now on (after the last 10,\n"
    "                        unless -n)\n"
    "      --json            the lines as they were logged\n";

enum Long : int { kEvent = kOwnOptions, kOutcome, kJson };

// Calls `add` with the index in `names` of each of the words in `list`.
template <std::size_t N, class Add>
void each_word(const std::string& option, std::string_view list, const std::string_view (&names)[N],
               Add add) {
  while (true) {
    const std::size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    std::size_t index = 0;
    while (index < N && names[index] != word) ++index;
    if (index == N || word.empty()) {
      std::string known;
      Nearest nearest(word);
      for (std::string_view name : names) {
        if (!name.empty()) known.append(known.empty() ? "" : ", ").append(name);
        nearest.consider(name);
      }
      if (!nearest.found().empty())
        known.append("; did you mean ").append(nearest.found()).push_back('?');
      wrong_option(option, "\"" + std::string(word) + "\" is none of " + known);
    }
    add(index);
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

bool read_options(int argc, char** argv, std::int64_t now_ns, Options& to) {
  const auto take = [&to](int letter, const char* value) {
    if (letter == kEvent) {
      each_word("--event", value, Event::kKinds,
                [&](std::size_t i) { to.kinds.push_back(Event::Kind(i)); });
    } else if (letter == kOutcome) {
      each_word("--outcome", value, kOutcomeNames,
                [&](std::size_t i) { to.outcomes.push_back(HowItEnded(i)); });
    } else if (letter == 'n') {
      const Result<std::uint64_t> count = parse_count(value, 0, 1'000'000'000);
      if (!count.ok()) wrong_option("--last", std::string(count.error().message.view()));
      to.last_given = true;
      to.last = count.value();
    } else {
      (letter == 'f' ? to.follow : to.json) = true;
    }
  };
  if (read_selection(argc, argv,
                     {"atmost history",
                      kUsage,
                      "n:f",
                      {{"event", required_argument, nullptr, kEvent},
                       {"outcome", required_argument, nullptr, kOutcome},
                       {"last", required_argument, nullptr, 'n'},
                       {"follow", no_argument, nullptr, 'f'},
                       {"json", no_argument, nullptr, kJson}}},
                     now_ns, to.selection, take))
    return false;
  if (to.follow && to.selection.until_ns != INT64_MAX)
    wrong_option("--follow", "with --until there is nothing to wait for");
  constexpr std::size_t kLastWhenFollowing = 10;
  if (to.follow && !to.last_given && to.selection.since_ns == INT64_MIN) {
    to.last_given = true;
    to.last = kLastWhenFollowing;
  }
  return true;
}

namespace {

template <class E>
constexpr unsigned bit(E value) {
  return 1u << static_cast<unsigned>(value);
}

}  // namespace

HowItEnded outcome_of(const Record& record) {
  switch (record.kind) {
    case Event::Kind::denied:
      return record.text("why") == "too_soon" ? HowItEnded::too_soon : HowItEnded::busy;
    case Event::Kind::lost:
      return HowItEnded::lost;
    case Event::Kind::ended:
      break;
    default:
      return HowItEnded::none;
  }
  if (record.text("stopped") == "max_runtime" || record.text("stopped") == "idle")
    return HowItEnded::timed_out;
  if (record.text("stopped") == "lost" || record.text("stopped") == "taken_over")
    return HowItEnded::lost;
  if (record.text("stopped") == "killed") return HowItEnded::killed;
  if (!record.text("signal").empty()) return HowItEnded::killed;
  return record.number("exit") == 0 && !record.flag("too_fast") ? HowItEnded::success
                                                                : HowItEnded::failure;
}

Filter::Filter(const Options& options, std::vector<WantedLock> locks)
    : since_(options.selection.since_ns),
      until_(options.selection.until_ns),
      locks_(std::move(locks)) {
  for (Event::Kind kind : options.kinds) kinds_ |= bit(kind);
  for (HowItEnded outcome : options.outcomes) outcomes_ |= bit(outcome);
}

bool Filter::wants(const Record& record) const {
  if (record.ns("at") < since_ || record.ns("at") >= until_) return false;
  if (kinds_ != 0 && (kinds_ & bit(record.kind)) == 0) return false;
  if (outcomes_ != 0 && (outcomes_ & bit(outcome_of(record))) == 0) return false;
  return is_wanted(locks_, record);
}

}  // namespace atmost::history
