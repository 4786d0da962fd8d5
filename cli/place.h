// The directories, variables and names on which the place of a lock depends, for this process.
#ifndef ATMOST_CLI_PLACE_H
#define ATMOST_CLI_PLACE_H

#include "core/parse.h"
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

}  // namespace atmost::cli

#endif
