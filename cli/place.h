// The words of a command line, and the place of the lock that they name: it depends on directories,
// variables and names of this process.
#ifndef ATMOST_CLI_PLACE_H
#define ATMOST_CLI_PLACE_H

#include "core/outcome.h"
#include "core/parse.h"
#include "core/result.h"
#include "invocation.h"

namespace atmost::cli {

// Its views are valid until the process ends.
NamingContext naming_context(const Invocation& invocation);

// Fills path and name of `to` from LOCK, in the form of the store; `texts` keeps them. `named`:
// true if directories for it may be made.
Status place(const Invocation& invocation, const NamingContext& around, std::string_view lock,
             Arena& texts, LockSpec& to, bool& named);

// A path's directory, without the slash unless it is the root, and its last part. REQUIRES: `path`
// is absolute.
struct SplitPath {
  std::string_view directory, file;
};
SplitPath split_path(std::string_view path);

// Returns the part behind the last slash.
std::string_view last_part(std::string_view path);

// The host of an atom in keys of a fleet: all hosts share the atom, unless --host names one.
std::string_view fleet_host(const Invocation& invocation);

// The store of a lock whose directory other machines share, when no option named one.

// True if the directory of the lock is looked at before any store is opened. A plain `atmost run`
// or `hold` looks only when its lock file turns out to be elsewhere; an invocation that has warned
// by then, or hidden a word that its successor needs, looks first.
bool asks_place_first(const Invocation& invocation);

// The URL of the store, if the lock of operand 0 (without one: the lock directory) is in a
// directory that machines share, and no option or variable names the place of locks; else empty.
PathText find_shared_place(const Invocation& invocation);

// Makes `url` the invocation's store, and returns the result of `then` for argv with an option
// behind the subcommand that names the store. (The command would inherit a variable.) All is
// borrowed for the call.
int with_shared_store(Invocation& invocation, std::string_view url,
                      int (*then)(char** argv, Invocation& invocation));

// After EREMOTE: the lock file is on NFS, and no slot was taken. If machines share its directory,
// becomes the program that serves it; false: `outcome` stands.
bool goes_elsewhere(Invocation& invocation, Outcome& outcome, int& code);

// The options and operands of a command line.

// Reads the words behind the subcommand (options/words.h).
Status read_command_words(int argc, char* const* argv, Invocation& to);

// True if LOCK was forgotten in front of COMMAND (usage errors, with the cure): LOCK is a shell's
// assignment or a program that runs others, or the word behind it begins with a hyphen. With a "--"
// behind it, LOCK is meant. The answer does not depend on the programs that are installed. For run;
// every other subcommand's operands are fine.
Status check_operands(const Invocation& invocation);

// True if the word is NAME=VALUE, as a shell sets a variable.
bool is_assignment(std::string_view word);

}  // namespace atmost::cli

#endif
