#include "passes.h"

#include <stdlib.h>

#include "limiter/admission.h"
#include "policy/decide.h"

namespace atmost::pass {
namespace {

// Kept for as long as this process lives.
ScopedArena texts;
Request request;  // its texts are of that
Owned<Session> session;
Lease lease;

}  // namespace

Outcome take_place(Store& files, const std::string& file, std::uint32_t most,
                   const NamingContext& around, bool trust_fs) {
  Outcome outcome;
  char* real = realpath(file.c_str(), nullptr);
  const std::string name = "pass:" + (real != nullptr ? std::string(real) : file);
  free(real);
  if (const Status placed = place_lock(name, around, texts, request.locks[0], request.make_parents);
      !placed.ok()) {
    outcome.error = placed.error();
    return outcome;
  }
  request.locks[0].max = most;
  request.trust_fs = trust_fs;
  request.command = Text<63>(std::string_view("atmost pass"));
  // A pass is never taken over; and the occupancy words that a supervisor registers belong to its
  // atoms.
  request.kind = HolderKind::library;
  Result<Owned<Session>> opened = files.open(request);
  if (!opened.ok()) {
    outcome.error = opened.error();
    return outcome;
  }
  session = std::move(opened.value());
  return limiter::admit({request, files.traits(), *session}, policy::decide, nullptr, lease);
}

}  // namespace atmost::pass
