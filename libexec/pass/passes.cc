#include "passes.h"

#include <stdlib.h>

#include "limiter/admission.h"
#include "policy/decide.h"
#include "store/local/local_store.h"

namespace atmost::pass {
namespace {

local::LocalStore store;
Request request;
Lease lease;

}  // namespace

Outcome take_place(const std::string& file, std::uint32_t most, const Surroundings& around,
                   bool trust_fs) {
  Outcome outcome;
  char* real = realpath(file.c_str(), nullptr);
  const std::string name = "pass:" + (real != nullptr ? std::string(real) : file);
  free(real);
  if (const Status placed = place_lock(name, around, request.locks[0], request.make_parents);
      !placed.ok()) {
    outcome.error = placed.error();
    return outcome;
  }
  request.locks[0].max = most;
  request.trust_fs = trust_fs;
  request.command = Text<63>(std::string_view("atmost pass"));
  // Nobody takes over from a pass; and the words that a supervisor leaves to the kernel belong to
  // its atoms.
  store.set_kind(HolderKind::library);
  return limiter::admit(store, request, policy::decide, nullptr, lease);
}

}  // namespace atmost::pass
