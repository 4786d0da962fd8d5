// check_history FILE...: looks again at what nemesis tests saw. Exit code: 0 each can have been, 1
// one cannot, 64 usage, 65 no history.
#include <cstdio>

#include "fleet/history.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: check_history FILE...\n");
    return 64;
  }
  int code = 0;
  for (int i = 1; i < argc; ++i) {
    std::string why;
    const fleet_kit::History history = fleet_kit::read(argv[i], why);
    if (!why.empty()) {
      fprintf(stderr, "check_history: %s\n", why.c_str());
      return 65;
    }
    const std::string wrong = contradiction(history);
    if (!wrong.empty()) code = 1;
    std::printf("%s: %zu uses of %u slots: %s\n", argv[i], history.uses.size(), history.slots,
                wrong.empty() ? "linearizable" : wrong.c_str());
  }
  return code;
}
