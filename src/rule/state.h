// The memory of a lock, and every change of it but an admission's: a release and the edits. For all
// stores.
#ifndef ATMOST_RULE_STATE_H
#define ATMOST_RULE_STATE_H

#include <cstdint>

#include "core/session.h"
#include "core/time.h"
#include "core/view.h"

namespace atmost::rule {

// Read by every look at a lock. A plan replaces it as a whole. Moments are on the asker's clocks.
struct State {
  // Inlined: a call between the constructors of Facts would leave a table of pure virtual functions
  // in the front tier.
  [[gnu::always_inline]] State() {}  // NOLINT(modernize-use-equals-default)

  std::uint64_t token = 0;  // of the last admission; 0: none is known
  // The next token is greater than that, too: of a store whose lock may be an old copy.
  std::uint64_t token_floor = 0;
  bool drained = false;
  std::uint64_t superseding = 0;  // the last ticket drawn with --on-busy=supersede
  std::uint32_t refusals = 0;     // in a row
  std::uint32_t failures = 0;     // in a row
  LastAdmission last;
  // Admissions in the ring, and the moment before which they are not known (a damaged header).
  std::uint64_t recorded = 0;
  Stamp unknown_before;
};

// A hold keeps this for its end: its token, and the State before its admission.
struct Held {
  std::uint64_t token = 0;
  Stamp start_before;
  std::uint64_t recorded_before = 0;
};

// The end of a hold. True: `to` has to be written.
bool finish(State& to, const Held& held, Ending ending, const Instant& now);

// An edit of a lock (core/session.h), as far as its State goes: a store keeps single slots that are
// drained and statistics elsewhere. Returns Edited::count.
std::uint32_t edit(State& to, const Edit& what);

// A stamp that lies ahead of the clock counts from now on. True: it was changed.
bool mended(Stamp& stamp, const Instant& now);

// As a lock remembers that moment.
constexpr Stamp stamp_of(const Instant& now) {
  return {now.real_ns, now.given ? 0 : now.boot_ns, !now.given, true};
}

// The token of the next admission: greater than every earlier one, also where the count was lost.
std::uint64_t next_token(const State& state, const Instant& now);

}  // namespace atmost::rule

#endif
