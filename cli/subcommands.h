// The subcommands. The options are read and combined before the call, and
// `invocation` is complete except for its lock. It returns the exit code; run may instead end as
// its command ended, or become the command.
#ifndef ATMOST_CLI_SUBCOMMANDS_H
#define ATMOST_CLI_SUBCOMMANDS_H

#include <span>
#include <string_view>

#include "invocation.h"

namespace atmost::cli {

int run_command(Invocation& invocation);
int check_command(Invocation& invocation);
int wait_command(Invocation& invocation);
int list_command(Invocation& invocation);
int drain_command(Invocation& invocation);
int resume_command(Invocation& invocation);
int limit_command(Invocation& invocation);
int kill_command(Invocation& invocation);
int forget_command(Invocation& invocation);
int hold_command(Invocation& invocation);
int release_command(Invocation& invocation);
int tune_command(Invocation& invocation);
int beat_command(Invocation& invocation);

struct Subcommand {
  std::string_view name;
  unsigned bit;
  int (*run)(Invocation& invocation);
  std::string_view arguments;  // the words behind its name, for help
  std::string_view help;       // one line
};

extern const std::span<const Subcommand> subcommands;

// Separate programs, started as atmost NAME, that help lists. There may be others.
struct ExternalProgram {
  std::string_view name;
  std::string_view help;  // one line
};
extern const std::span<const ExternalProgram> external_programs;
// The commands that help lists first, of both kinds.
extern const std::span<const std::string_view> first_commands;

// Help for one subcommand, or for the program as a whole, on standard output. `all`: every option
// of `run`, in groups, instead of those that most calls need; every command with its line. Returns
// the exit code.
int show_help(const Subcommand& subcommand, bool all);
int show_help(bool all);
int show_version();

// Becomes the program atmost-NAME with the arguments argv[1] …. Looks only in $ATMOST_EXEC_PATH if
// that is set; else in ../libexec/atmost beside this program's directory, then in the directory
// this program was configured with. Returns, with the exit code, when there is no such program or
// it cannot be run.
int run_external(std::string_view name, char** argv);

// Becomes atmost-NAME, the program that serves the invocation's store, found in the same places,
// with all of argv; for `run`, becomes its monitor (core/monitor.h). Returns, with the exit code,
// when it cannot.
int become_fleet(std::string_view name, char** argv, const Invocation& invocation);

// Overwrites the URL that an option gave, so that other users see it in lists of processes for no
// longer than necessary. A child that was started with it before has its own copy.
void hide_ping(const Invocation& invocation);

// Starts this program again as its own child, the supervisor of a run with --die-with
// (core/monitor.h), and becomes the monitor. Returns only if it could not be started.
Error monitor_itself(char* const* argv, const Invocation& invocation);

// The hidden first argument by which such a program ends a lease: --end-lease URL LEASE.
inline constexpr char kEndLease[] = "--end-lease";

// Makes operand 0 the request's lock. `extra`: true if more operands may follow. Errors are usage
// errors.
Status take_lock(Invocation& invocation, bool extra);

// Suggestions for an unknown word.

// The subcommand for a word that other programs have for it; empty: none.
std::string_view own_command(std::string_view typed);

// True if the word is a program that docs/coming-from.md compares with atmost.
bool is_another_program(std::string_view word);

// True if the command needs a shell but is started without one: shell syntax in its name, or a
// command that only shells have.
bool needs_shell(std::string_view command);

}  // namespace atmost::cli

#endif
