// The stores that many machines share, as a pass sees them.
#ifndef ATMOST_LIBEXEC_PASS_FLEET_H
#define ATMOST_LIBEXEC_PASS_FLEET_H

#include <span>
#include <string_view>

#include "core/result.h"

namespace atmost::pass {

struct Fleet {
  // Brings the store that the URL names (limiter.h, bring_store) for this process; asks nothing of
  // the network. Takes secrets out of the environment. Errors (usage) do not repeat the URL.
  Status (*bring)(std::string_view url);
  // The variables with those secrets.
  std::span<const char* const> secrets;
};

// The program `atmost pass`. For a store that many machines share it becomes the program that has
// that store, with the same arguments, if `fleet` is null. Returns the exit code, or ends as a
// signal would have it.
int run_program(int argc, char** argv, const Fleet* fleet);

}  // namespace atmost::pass

#endif
