// Runs worlds: tools/world --help.
#include <cstdio>
#include <exception>
#include <span>

#include "world/campaign.h"
#include "world/options.h"
#include "world/shorten.h"
#include "world/worlds.h"

int main(int argc, char** argv) {
  using namespace world;
  Options options;
  if (const auto mistake = read_options(std::span(argv + 1, argv + argc), options)) {
    std::fprintf(stderr, "world: %s\n", mistake->c_str());
    return 2;
  }
  if (options.help) {
    std::fwrite(kHelp.data(), 1, kHelp.size(), stdout);
    return 0;
  }
  try {
    if (options.shrink) {
      shorten_world(options);
      return 1;
    }
    const bool many = options.file.empty() && options.seconds > 0 && !options.count;
    return (many ? run_campaign(options) : run_worlds(options)).found > 0 ? 1 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "world: %s\n", error.what());
    return 2;
  }
}
