#include "world/shorten.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>

#include "world/child.h"
#include "world/report.h"
#include "world/shrink.h"
#include "world/worlds.h"

namespace world {
namespace {

constexpr std::chrono::seconds kLimit{60};  // of one world
constexpr std::int64_t kSeconds = 600;      // for all, unless the options give another number

struct Shortening {
  const Options& options;
  unsigned trials = 0;

  // The outcome of a world, in a process of its own. Nothing: it broke no invariant.
  std::optional<Found> run(std::vector<std::string> arguments, const std::string& input) const {
    const auto more = for_children(options);
    arguments.insert(arguments.end(), more.begin(), more.end());
    Child child(arguments, input, kLimit);
    child.wait();
    if (!child.broken().empty()) return Found{0, std::string(child.broken()), "it ended by itself"};
    if (child.code() > 1) throw std::runtime_error("the world could not be run");
    std::istringstream lines(child.output());
    for (std::string line; std::getline(lines, line);)
      if (auto found = read_found(line)) return found;
    return std::nullopt;
  }

  std::string breaks(const Script& script) {
    ++trials;
    const auto found = run({"--replay", "/dev/stdin"}, print(script));
    return found ? found->breaks : "";
  }

  // A file that lists all that happens. A world whose events are drawn is run once: that writes it.
  std::string listed_file() const {
    if (!options.file.empty() && read_world(options.file).listed) return options.file;
    const std::string seed = std::to_string(options.seed.value_or(0));
    const auto found =
        options.file.empty() ? run({"--seed", seed}, "") : run({"--replay", options.file}, "");
    if (!found) throw std::runtime_error("this world breaks no invariant");
    const std::filesystem::path path =
        std::filesystem::path(options.folder) / ("world-" + std::to_string(found->seed) + ".world");
    return path.lexically_normal();
  }
};

std::size_t lines(const Script& script) {
  const std::string text = print(script);
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::size_t busy(const Script& script) {
  return static_cast<std::size_t>(std::ranges::count_if(
      script.callers, [](const Caller& caller) { return !caller.runs.empty(); }));
}

}  // namespace

void shorten_world(const Options& options) {
  Shortening shortening{options};
  const std::filesystem::path path = shortening.listed_file();
  Script script = read_world(path);
  script.breaks = shortening.breaks(script);
  if (script.breaks.empty()) throw std::runtime_error(path.string() + " breaks no invariant");

  const Clock::time_point begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  const double limit = static_cast<double>(options.seconds > 0 ? options.seconds : kSeconds);
  const Script shorter = shorten(
      script, [&](const Script& candidate) { return shortening.breaks(candidate); },
      [&] { return seconds() < limit; });

  const std::filesystem::path stem =
      (std::filesystem::path(options.folder) / path.stem()).lexically_normal();
  const std::string short_path = stem.string() + ".short.world";
  const std::string picture =
      options.picture.empty() ? stem.string() + ".short.svg" : options.picture;
  write_file(short_path, print(shorter));
  std::printf("%s: %zu lines, %zu callers; %s: %zu lines, %zu callers (%u worlds, %.1f s)\n",
              path.c_str(), lines(script), busy(script), short_path.c_str(), lines(shorter),
              busy(shorter), shortening.trials, seconds());
  std::fflush(stdout);
  Child shown({"--replay", short_path, "--picture", picture}, "", kLimit);
  shown.wait();
  std::printf("%spicture: %s\n", shown.output().c_str(), picture.c_str());
}

}  // namespace world
