#include "world/options.h"

#include <charconv>

#include "world/script.h"

namespace world {

const std::string_view kHelp =
    R"(tools/world runs the program's real code in simulated worlds: every process, its
kills and pauses, the files, locks and clocks, and the order of all steps follow
from a seed. It looks for a broken promise; docs/internals/proof.md says which.

  tools/world --seconds N           worlds of fresh seeds for so long
  tools/world --seed S              the world of this seed
  tools/world --replay FILE         the world of a file, exactly as it was
  tools/world --shrink FILE         the same world with all left out that its
  tools/world --shrink --seed S       violation does not need, and its picture

Which worlds:
  --seed S             the first seed; with --seconds, a fresh one unless given
  --count N            so many seeds, one after the other in one process
  --seconds N          until then; with --shrink, for so long at most (600)
  --until-found        until a promise is broken
  --callers N          at most so many processes (2...24)
  --runs N             at most so many runs of each
  --processes fibers|real
                       simulated processes are fibers, which are faster, or real
                       processes, which a debugger can look at; the worlds are the
                       same
  --plant NAME         with a fault of tests/world/faults planted into the code
  --jobs N             so many processes side by side; one for each processor

Output:
  --steps              every step of every process
  --picture FILE.svg   a picture of the world
  --out FOLDER         where files are written, . unless given: world-SEED.world, a
                       world that broke a promise; NAME.short.world and
                       NAME.short.svg, when NAME.world was shortened

It ends with 0; with 1 if a promise was broken; with 2 if the worlds could not be run.
)";

namespace {

constexpr std::int64_t kLongest = 366 * 86'400;  // s

struct Reader {
  std::span<char* const> rest;

  std::string_view next() {
    const std::string_view word = rest.front();
    rest = rest.subspan(1);
    return word;
  }
  bool has_operand() const {
    return !rest.empty() && !std::string_view(rest.front()).starts_with('-');
  }
};

template <class T>
std::optional<std::string> number(std::string_view option, std::string_view text,
                                  std::int64_t least, std::uint64_t most, T& to) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() ||
      value < static_cast<std::uint64_t>(least) || value > most)
    return std::string(option) + " is " + std::to_string(least) + "..." + std::to_string(most) +
           ", not \"" + std::string(text) + '"';
  to = static_cast<T>(value);
  return std::nullopt;
}

template <class T>
std::optional<std::string> choice(std::string_view option, std::string_view text,
                                  std::string_view first, std::string_view second, T& to) {
  if (text != first && text != second)
    return std::string(option) + " is " + std::string(first) + " or " + std::string(second) +
           ", not \"" + std::string(text) + '"';
  to = static_cast<T>(text == second);
  return std::nullopt;
}

// Options with a value.
std::optional<std::string> read_value(std::string_view option, std::string_view value,
                                      Options& options) {
  if (option == "--seed") return number(option, value, 0, UINT64_MAX, options.seed.emplace());
  if (option == "--count") return number(option, value, 1, INT64_MAX, options.count.emplace());
  if (option == "--seconds") return number(option, value, 1, kLongest, options.seconds);
  if (option == "--callers") return number(option, value, 2, 24, options.callers);
  if (option == "--runs") return number(option, value, 1, 100, options.runs);
  if (option == "--jobs") return number(option, value, 1, 256, options.jobs);
  if (option == "--processes")
    return choice(option, value, "fibers", "real", options.real_processes);
  std::string* const text = option == "--replay"    ? &options.file
                            : option == "--plant"   ? &options.plant
                            : option == "--picture" ? &options.picture
                            : option == "--out"     ? &options.folder
                                                    : nullptr;
  if (text == nullptr) return "there is no option " + std::string(option) + "; --help lists them";
  if (value.empty()) return std::string(option) + " is empty";
  *text = value;
  return std::nullopt;
}

bool read_flag(std::string_view option, Options& options) {
  bool* const flag = option == "--steps"         ? &options.steps
                     : option == "--until-found" ? &options.until_found
                     : option == "--help"        ? &options.help
                                                 : nullptr;
  if (flag != nullptr) *flag = true;
  return flag != nullptr;
}

std::optional<std::string> check(const Options& options) {
  const bool timed = options.seconds > 0 && !options.shrink;
  const bool of_seeds = options.seed || options.count || timed;
  if (options.help) return std::nullopt;
  if (!options.file.empty() && of_seeds) return "a file is one world; it goes with no seeds";
  if (options.file.empty() && !of_seeds)
    return "no world is named; --seed, --seconds, --replay or --shrink names some";
  if (options.shrink && options.file.empty() && !options.seed)
    return "--shrink needs a file or --seed";
  if (options.shrink && (options.count || options.steps)) return "--shrink is about one world";
  const bool one = !options.file.empty() || (options.seed && !options.count && !options.seconds);
  if (!options.picture.empty() && !one) return "--picture shows one world: --seed or --replay";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> read_options(std::span<char* const> arguments, Options& options) {
  Reader reader{arguments};
  while (!reader.rest.empty()) {
    const std::string_view option = reader.next();
    if (read_flag(option, options)) continue;
    if (option == "--shrink") {
      options.shrink = true;
      if (reader.has_operand()) options.file = reader.next();
      continue;
    }
    if (!option.starts_with("--"))
      return '"' + std::string(option) + "\" is not an option; --help lists them";
    if (reader.rest.empty()) return std::string(option) + " needs a value";
    if (auto mistake = read_value(option, reader.next(), options)) return mistake;
  }
  return check(options);
}

std::vector<std::string> for_children(const Options& options) {
  std::vector<std::string> all = {"--out", options.folder};
  const auto add = [&](std::initializer_list<std::string> some) { all.insert(all.end(), some); };
  if (options.real_processes) add({"--processes", "real"});
  if (options.callers != 0) add({"--callers", std::to_string(options.callers)});
  if (options.runs != 0) add({"--runs", std::to_string(options.runs)});
  if (!options.plant.empty()) add({"--plant", options.plant});
  if (options.until_found) add({"--until-found"});
  return all;
}

}  // namespace world
