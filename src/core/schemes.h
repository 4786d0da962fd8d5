// The stores that --store can name: one row for each, and the only place that lists them.
#ifndef ATMOST_SCHEMES_H
#define ATMOST_SCHEMES_H

#include <span>
#include <string_view>

#include "core/traits.h"

namespace atmost {

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
