// The stores that --store can name, and their abilities.
#ifndef ATMOST_SCHEMES_H
#define ATMOST_SCHEMES_H

#include <span>
#include <string_view>

namespace atmost {

// The abilities of a store: callers check these constants and not which store it is.
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

// The stores that --store can name: one row for each, and the only place that lists them.

struct Scheme {
  std::string_view name;     // of --store NAME: or NAME://...
  std::string_view alias;    // another name; empty: none
  std::string_view form;     // how its URL looks, for messages
  std::string_view program;  // what serves it: atmost-PROGRAM; empty: every program
  StoreTraits traits;
  // Behind the colon stands a directory and not the address of a server.
  bool directory = false;
  // The variables with its passwords, which the command must not get; null ends the list.
  const char* secrets[3] = {};
};

inline constexpr Scheme kSchemes[] = {
    {.name = "file",
     .alias = "",
     .form = "file:",
     .program = "",
     .traits = {.has_path = true,
                .inheritable = true,
                .remembers_runs = true,
                .remembers = true,
                .processes = true,
                .queue = true,
                .weights = true,
                .modes = true,
                .several_locks = true,
                .several_slots = true,
                .drain = true,
                .takeover = true,
                .counts = true,
                .last_admission = true,
                .withdraws = true,
                .rates = true,
                .queue_limits = true,
                .turns = true}},
    {.name = "symlink",
     .alias = "",
     .form = "symlink:",
     .program = "",
     .traits = {.has_path = true, .kept_for_pid = true, .processes = true}},
    {.name = "etcd",
     .alias = "",
     .form = "etcd://HOST:PORT[,HOST:PORT...]/PREFIX",
     .program = "fleet",
     .traits = {.leased = true,
                .remembers_runs = true,
                .processes = true,
                .queue = true,
                .weights = true,
                .modes = true,
                .several_locks = true,
                .several_slots = true,
                .drain = true,
                .takeover = true,
                .counts = true,
                .rates = true,
                .queue_limits = true,
                .turns = true},
     .secrets = {"ATMOST_ETCD_PASSWORD", "ATMOST_ETCD_TOKEN"}},
    {.name = "postgres",
     .alias = "postgresql",
     .form = "postgres://...",
     .program = "fleet-postgres",
     .traits = {.leased = true,
                .remembers_runs = true,
                .queue = true,
                .weights = true,
                .modes = true,
                .several_locks = true,
                .several_slots = true,
                .drain = true,
                .takeover = true,
                .counts = true,
                .last_admission = true,
                .withdraws = true,
                .rates = true,
                .queue_limits = true,
                .turns = true},
     .secrets = {"ATMOST_POSTGRES_PASSWORD"}},
    {.name = "shared",
     .alias = "",
     .form = "shared:/DIRECTORY",
     .program = "fleet-shared",
     .traits = {.leased = true,
                .remembers_runs = true,
                .processes = true,
                .queue = true,
                .weights = true,
                .modes = true,
                .several_locks = true,
                .several_slots = true,
                .drain = true,
                .takeover = true,
                .counts = true,
                .last_admission = true,
                .withdraws = true,
                .rates = true,
                .queue_limits = true,
                .turns = true},
     .directory = true},
};

// The row of the scheme before the colon of `store`; an empty `store` is file:. Returns null if
// there is none.
constexpr const Scheme* scheme_of(std::string_view store) {
  if (store.empty()) return &kSchemes[0];
  const std::string_view name = store.substr(0, store.find(':'));
  for (const Scheme& scheme : kSchemes) {
    if (name == scheme.name || (!scheme.alias.empty() && name == scheme.alias)) return &scheme;
  }
  return nullptr;
}

// REQUIRES: `name` is in the table.
constexpr const StoreTraits& traits_of(std::string_view name) { return scheme_of(name)->traits; }

}  // namespace atmost

#endif
