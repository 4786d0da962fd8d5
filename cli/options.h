// The options: one table, from which arguments are read and help is printed.
#ifndef ATMOST_CLI_OPTIONS_H
#define ATMOST_CLI_OPTIONS_H

#include <span>

#include "invocation.h"

namespace atmost::cli {

enum class Id : std::uint8_t {
  max,
  take,
  shared,
  exclusive,
  wait,
  on_busy,
  if_elapsed,
  on_too_soon,
  elapsed_from,
  expire_after,
  max_runtime,
  auto_min,
  auto_max,
  auto_risk,
  no_memory,
  kill_grace,
  also,
  now,
  splay,
  exec,
  until,
  close,
  id,
  ttl,
  on_lost,
  mode,
  trust_fs,
  with_flock,
  alert_after,
  overdue,
  dry_run,
  busy_exit_code,
  status_fd,
  log,
  no_history,
  log_args,
  watch,
  slot,
  for_pid,
  keeper_to,
  store,
  dir,
  host,
  json,
  quiet,
  verbose,
  help,
  version,
};

struct Option {
  Id id;
  char letter;             // 0: none
  std::string_view name;   // without the dashes
  std::string_view value;  // what its argument is called in help; empty: it takes none
  unsigned subcommands;    // which take it
  std::string_view help;   // one line
};

std::span<const Option> options();

static_assert(static_cast<unsigned>(Id::version) < 64);
inline bool is_given(const Invocation& it, Id id) {
  return (it.given >> static_cast<unsigned>(id) & 1) != 0;
}

// Reads argv[1] … up to the first operand into `to`, whose subcommand is set; checks each value,
// not yet how they fit together (combine.h). "--" ends the options. Of a repeated option the last
// counts; --also adds up. Errors are usage errors that begin with the option.
Status read_options(int argc, char* const* argv, Invocation& to);

}  // namespace atmost::cli

#endif
