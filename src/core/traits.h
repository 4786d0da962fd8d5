// The abilities of a store: callers check these constants and not which store it is.
#ifndef ATMOST_TRAITS_H
#define ATMOST_TRAITS_H

namespace atmost {

// The defaults describe the simplest possible store: one slot, and tokens.
struct StoreTraits {
  // A hold ends by itself when it is not renewed in time. So no process of the command may outlive
  // the process that renews it, and a monitor watches that process.
  bool leased = false;
  // A lock is a path of this machine: it may be relative, and its directory can be made and listed.
  bool has_path = false;
  // A hold is kept by descriptors, which a child inherits.
  bool inheritable = false;
  // A hold can name another process, and ends with that one.
  bool kept_for_pid = false;
  // It keeps statistics of earlier runs, from which max_runtime and min_runtime are learned.
  bool remembers_runs = false;
  // It also keeps those of requests, and every decision has both, so that if_elapsed and
  // expire_after are learned, too.
  bool remembers = false;

  // The properties that select its tests in the contract suite (tests/contract).
  bool processes = false;       // holders are separate processes; a dead one frees its slots
  bool queue = false;           // waiters are served first come, first served
  bool weights = false;         // -k above 1
  bool modes = false;           // --shared, --exclusive
  bool several_locks = false;   // --also
  bool several_slots = false;   // N above 1
  bool drain = false;           // slots can be closed to newcomers
  bool takeover = false;        // an overdue holder can be stopped
  bool counts = false;          // refusals in a row are counted
  bool last_admission = false;  // --if-elapsed by the caller's clock, which can be given
  bool withdraws = false;       // an admission whose command could not be executed does not count
  bool rates = false;           // at most K admissions in any window of length T
  bool queue_limits = false;    // a caller can limit who waits, and waiters can replace one another
  bool turns = false;           // a waiter that does not use its turn (turn.h) is overtaken
};

}  // namespace atmost

#endif
