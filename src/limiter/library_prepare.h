// From the arguments of a C function to a lock that can be asked for.
#ifndef ATMOST_LIMITER_LIBRARY_PREPARE_H
#define ATMOST_LIMITER_LIBRARY_PREPARE_H

#include <string_view>

#include "atmost/atmost.h"
#include "core/place.h"
#include "library_lock.h"

namespace atmost::limiter {

// What is to be named decides what has to be known of the user and this host.
struct Naming {
  bool in_directory = true;  // a name or an atom, or the log of the user
  bool atom = true;          // an atom, which has the host in its name
};
// The naming context of this process: its environment, a directory (may be null) and a host (null:
// this one), whose name is kept in `host_room`.
NamingContext naming_context(const char* directory, const char* host, const Naming& what,
                             Text<255>& host_room);

// Each sets `to` to a fresh lock with its request filled, and `known` to the options it came from.
// ATMOST_ADMITTED, or the answer: then `to` is null.
int prepare_named(const char* name, const atmost_options* options, atmost_options& known,
                  LibraryLock*& to);
struct AtomName {
  const char* operator_;
  const char* operand;
  const char* host;  // null: this one
};
int prepare_atom(const AtomName& atom, const atmost_options* options, atmost_options& known,
                 LibraryLock*& to);

}  // namespace atmost::limiter

#endif
