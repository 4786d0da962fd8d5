// atmost beat
#include "core/limiter.h"
#include "output.h"
#include "subcommands.h"

namespace atmost::cli {

int beat_command(Invocation& invocation) {
  const bool named = invocation.operand_count > 0;
  if (named) {
    if (const Status placed = take_lock(invocation, false); !placed.ok()) {
      complain(placed.error());
      return static_cast<int>(placed.error().code);
    }
  }
  const LockSpec& lock = invocation.request.locks[0];
  const Result<Beat> told = beat(named ? lock.path.view() : std::string_view{}, invocation.eta);
  if (!told.ok()) {
    complain(told.error());
    return static_cast<int>(told.error().code);
  }
  Text<400> words("beat: ");
  switch (told.value()) {
    case Beat::told:
      return 0;
    case Beat::unwatched:
      if (invocation.verbose) complain(words.append("nobody watches for silence here"));
      return 0;
    case Beat::outside:
      if (named) words.append(lock.name).append(": ");
      complain(words.append(named ? "not held around this process"
                                  : "this process is not inside a command of atmost run"));
      return 1;
    case Beat::unreachable:
      complain(words.append("no supervisor can be reached from here"));
      break;
  }
  return 1;
}

}  // namespace atmost::cli
