#include "options.h"

#include "core/parse.h"
#include "filter.h"
#include "history/names.h"
#include "reader/exact_option.h"
#include "reader/failure.h"

namespace atmost::history {
namespace {

constexpr char kUsage[] =
    "usage: atmost history [OPTION]... [LOCK]...\n\n"
    "what happened: admissions, refusals, takeovers and ends, oldest first\n\n"
    "      --event KIND      admitted, denied, expired, signalled, ended, lost, stopping, "
    "vanished, undelivered (several with commas)\n"
    "      --outcome WHAT    success, failure, killed, timed_out, lost, too_soon, busy (several "
    "with "
    "commas)\n"
    "  -n, --last N          only the last N of those\n"
    "  -f, --follow          go on with what happens from now on (after the last 10, unless -n)\n"
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
      for (std::string_view name : names) {
        if (!name.empty()) known.append(known.empty() ? "" : ", ").append(name);
      }
      wrong_option(option, "\"" + std::string(word) + "\" is none of " + known);
    }
    add(index);
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string help_text() { return std::string(kUsage) + kSelectionHelp + kLockHelp; }

Options parse_options(int argc, char** argv, std::int64_t now_ns) {
  Options to;
  opterr = 0;
  const std::vector<option> options =
      options_with({{"event", required_argument, nullptr, kEvent},
                    {"outcome", required_argument, nullptr, kOutcome},
                    {"last", required_argument, nullptr, 'n'},
                    {"follow", no_argument, nullptr, 'f'},
                    {"json", no_argument, nullptr, kJson}});
  for (int letter; (letter = next_option(argc, argv, ":n:fqvhV", options.data())) != -1;) {
    if (take_option(letter, optarg, now_ns, to.selection)) continue;
    switch (letter) {
      case kEvent:
        each_word("--event", optarg, kKindNames,
                  [&](std::size_t i) { to.kinds.push_back(Event::Kind(i)); });
        break;
      case kOutcome:
        each_word("--outcome", optarg, kOutcomeNames,
                  [&](std::size_t i) { to.outcomes.push_back(HowItEnded(i)); });
        break;
      case 'n': {
        const Result<std::uint64_t> count = parse_count(optarg, 0, 1'000'000'000);
        if (!count.ok()) wrong_option("--last", std::string(count.error().message.view()));
        to.last_given = true;
        to.last = count.value();
        break;
      }
      case 'f':
        to.follow = true;
        break;
      case kJson:
        to.json = true;
        break;
      case 'h':
        to.help = true;
        return to;
      case 'V':
        to.version = true;
        return to;
      default:
        refuse_option(letter, argv[optind - 1], "atmost history");
    }
  }
  for (; optind < argc; ++optind) to.selection.locks.emplace_back(argv[optind]);
  if (to.follow && to.selection.until_ns != INT64_MAX)
    wrong_option("--follow", "with --until there is nothing to wait for");
  constexpr std::size_t kLastWhenFollowing = 10;
  if (to.follow && !to.last_given && to.selection.since_ns == INT64_MIN) {
    to.last_given = true;
    to.last = kLastWhenFollowing;
  }
  return to;
}

}  // namespace atmost::history
