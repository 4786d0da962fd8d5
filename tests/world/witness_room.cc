// The witness: how many slots are held, by whom, with which token, and what is left behind.
#include <algorithm>

#include "witness.h"

namespace world {
namespace {

std::string p(int process) { return "p" + std::to_string(process); }
std::string at(int lock) { return " at lock " + std::to_string(lock); }
std::string n(std::uint64_t number) { return std::to_string(number); }

}  // namespace

void Witness::check_room(int process, int lock) {
  const Claim& claim = seen(process).claim;
  std::uint64_t others = 0;
  bool writer = false;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    const Seen& other = processes_[i];
    const Stand& stand = other.at[lock];
    // A child has what its parent, who was killed, held.
    if (other.parent != kNoParent && !seen(other.parent).at[lock].inside)
      others += stand.held.slots;
    if (static_cast<int>(i) == process || !stand.inside) continue;
    // The kernel frees a dying holder's slots one after another.
    others += other.dying ? stand.held.slots : other.claim.slots();
    writer = writer || (other.claim.writes() && stand.held.writer);
  }
  // exectimes has no writers.
  if (claim.kind == kExectimes) writer = false;
  const std::uint64_t all = others + claim.slots();
  const bool fits =
      claim.writes() ? others == 0 : !writer && all <= static_cast<std::uint64_t>(claim.run.max);
  if (fits) return;
  break_promise("room", p(process) + at(lock) + " takes " + n(claim.slots()) + " of " +
                            n(static_cast<std::uint64_t>(claim.run.max)) + " beside " + n(others) +
                            (writer           ? " of a writer"
                             : claim.writes() ? " as a writer"
                                              : ""));
}

void Witness::check_drained(int process, int lock) {
  const Seen& it = seen(process);
  const Drain& drain = at_[lock].drain;
  if (!it.claim.recorded()) return;  // the original has no such rule
  if (drain.whole)
    break_promise("drained", p(process) + " enters" + at(lock) + ", which is drained");
  for (std::uint32_t slot = 1; slot <= 64; ++slot) {
    // A writer takes the whole lock; that its byte is that of slot 1 proves nothing.
    const bool takes = !it.claim.writes() && (it.at[lock].held.which >> (slot - 1) & 1) != 0;
    if (takes && drain.slots[slot])
      break_promise("drained", p(process) + " takes slot " + n(slot) + at(lock) + ", drained");
  }
}

void Witness::check_held(int process, const char* when) {
  const Seen& it = seen(process);
  for (const int lock : locks_of(it.claim)) {
    if (lock == 0) continue;
    const Holding held = locks_.held_by(process, lock);
    if (held.slots == it.claim.slots() && held.writer == it.claim.writes()) continue;
    break_promise("held", p(process) + at(lock) + " holds " + n(held.slots) + " slots, not " +
                              n(it.claim.slots()) + ", " + when);
  }
}

void Witness::check_nothing_held(int process, const char* when) {
  for (int lock = 1; lock < kLocks; ++lock) {
    if (!at_[lock].used || locks_.held_by(process, lock).nothing()) continue;
    const Holding held = locks_.held_by(process, lock);
    break_promise("kept", p(process) + at(lock) + " keeps " + (held.guard ? "the guard " : "") +
                              n(held.slots) + " slots, " + n(held.places) + " places " + when);
  }
}

void Witness::check_tokens(int process, std::span<const std::uint64_t> tokens) {
  const Seen& it = seen(process);
  for (std::size_t i = 0; i < tokens.size() && i < 2; ++i) {
    const int lock = locks_of(it.claim)[i];
    if (lock == 0 || !it.claim.recorded()) continue;
    if (tokens[i] <= it.token_floor[lock])
      break_promise("token", "token " + n(tokens[i]) + " of " + p(process) + at(lock) +
                                 " is not above " + n(it.token_floor[lock]));
    at_[lock].token = std::max(at_[lock].token, tokens[i]);
  }
}

bool Witness::opened_since(int lock, std::uint64_t event) const {
  return at_[lock].drain.opened >= event ||
         std::any_of(processes_.begin(), processes_.end(),
                     [&](const Seen& each) { return each.opening == lock; });
}

}  // namespace world
