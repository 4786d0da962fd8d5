// From LOCK to the file that keeps it (atmost(1), "LOCK"). Only text is looked at: no file is
// opened or created. src/request/ defines these.
#ifndef ATMOST_PLACE_H
#define ATMOST_PLACE_H

#include <string_view>

#include "core/request.h"
#include "core/result.h"

namespace atmost {

// What the rules look at; views are borrowed. Empty means unset.
struct NamingContext {
  std::string_view option_dir;  // --dir
  std::string_view atmost_dir;  // $ATMOST_DIR
  std::string_view state_home;  // $XDG_STATE_HOME
  std::string_view home;        // $HOME
  std::string_view host;        // --host, else the machine's name
  bool root = false;
};

// Where named locks and atoms live: --dir, $ATMOST_DIR, /var/lib/atmost for root, else HOST in the
// user's state directory.
Status lock_directory(const NamingContext& around, PathText& to);

// Fills path and name of `to` from LOCK. `named` says whether it is a name or an atom, whose
// directories are ours to make.
Status place_lock(std::string_view lock, const NamingContext& around, LockSpec& to, bool& named);

// Whether `store` (--store) names a store that many machines share: etcd:// or postgres://.
bool is_fleet(std::string_view store);

// Whether `text` is a store as --store and $ATMOST_STORE take it. Usage errors never repeat it: it
// may hold a password.
Status check_store(std::string_view text);

// Where a call whose locks lie in no directory of this machine is logged: history.jsonl where local
// locks would lie.
Status fleet_log(const NamingContext& around, PathText& to);

// Where a call is logged whose lock is given by a path: history.jsonl where the user's named locks
// lie, whatever --dir says. Beside the lock it would be a file of its first user, that others may
// not write. Error: there is no such directory.
Status own_log(const NamingContext& around, PathText& to);

// As place_lock() for a lock of a fleet store: its path is the store's URL, "/", and the key. A
// name or an atom (whose host is around.host); a path means nothing on other machines: usage error.
Status place_fleet_lock(std::string_view lock, std::string_view store, std::string_view host,
                        LockSpec& to);

// The directory, its "/" and a file name in it; usage error when that is longer than a path may be.
Status join_path(std::string_view directory, std::string_view file, PathText& to);

}  // namespace atmost

#endif
