#include "world/worlds.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "world/picture.h"
#include "world/scenario.h"
#include "world/world.h"

namespace world {
namespace {

void say(const std::string& line) {
  std::fwrite((line + "\n").data(), 1, line.size() + 1, stdout);
  std::fflush(stdout);
}

class Worlds {
 public:
  explicit Worlds(const Options& options)
      : options_(options), begin_(std::chrono::steady_clock::now()) {}

  Sum all() {
    if (options_.file.empty())
      seeds();
    else
      one(read_world(options_.file));
    sum_.seconds = seconds();
    say(last_line(sum_));
    return sum_;
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  void seeds() {
    Limits limits;
    if (options_.callers != 0) limits.callers = options_.callers;
    if (options_.runs != 0) limits.runs = options_.runs;
    const std::uint64_t count = options_.count.value_or(1);
    for (std::uint64_t i = 0; i < count; ++i) {
      Script script = scenario(*options_.seed + i, limits);
      script.plant = options_.plant;
      const bool broke = one(script);
      if (broke && options_.until_found) return;
      if (options_.seconds > 0 && seconds() > static_cast<double>(options_.seconds)) return;
    }
  }

  // True if it broke an invariant.
  bool one(Script script) {
    const Result result = world::run(script, {.real_processes = options_.real_processes,
                                              .trace = options_.steps,
                                              .marks = !options_.picture.empty()});
    sum_.add(result);
    sum_.seconds = seconds();
    if (options_.steps) std::fwrite(result.trace.data(), 1, result.trace.size(), stdout);
    if (!options_.picture.empty()) {
      write_file(options_.picture, svg_picture(script, result));
      say(text_picture(script, result));
    }
    if (result.breaks.empty()) return false;
    say(found_line(script.seed, sum_, result.breaks, result.text));
    if (!script.listed) keep(std::move(script), result);
    return true;
  }

  void keep(Script script, const Result& result) const {
    script.listed = true;
    script.events = result.events;
    script.breaks = result.breaks;
    const std::string path = (std::filesystem::path(options_.folder) /
                              ("world-" + std::to_string(script.seed) + ".world"))
                                 .lexically_normal();
    write_file(path, print(script));
    std::fprintf(stderr,
                 "tools/world --replay %s replays it, --shrink %s also shortens and draws it\n",
                 path.c_str(), path.c_str());
  }

  const Options& options_;
  std::chrono::steady_clock::time_point begin_;
  Sum sum_;
};

}  // namespace

Script read_world(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error(path + " cannot be read");
  Script script;
  if (const auto mistake = parse(text.str(), script))
    throw std::runtime_error(path + ":" + std::to_string(mistake->line) + ": " + mistake->text);
  return script;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(path + " cannot be written");
}

Sum run_worlds(const Options& options) { return Worlds(options).all(); }

}  // namespace world
