// The store of a lock whose directory other machines share, when no option named one.
#ifndef ATMOST_CLI_SHARED_PLACE_H
#define ATMOST_CLI_SHARED_PLACE_H

#include "core/outcome.h"
#include "invocation.h"

namespace atmost::cli {

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

}  // namespace atmost::cli

#endif
