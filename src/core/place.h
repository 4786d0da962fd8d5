// The file that is the lock of LOCK (atmost(7), "LOCK"). Only text is looked at: no file is opened
// or created. src/request/ defines these.
#ifndef ATMOST_PLACE_H
#define ATMOST_PLACE_H

#include <string_view>

#include "core/request.h"
#include "core/result.h"

namespace atmost {

// The inputs of the rules; views are borrowed. Empty means unset.
struct NamingContext {
  std::string_view option_dir;  // --dir
  std::string_view atmost_dir;  // $ATMOST_DIR
  std::string_view state_home;  // $XDG_STATE_HOME
  std::string_view home;        // $HOME
  std::string_view host;        // --host, else the machine's name
  bool root = false;
};

// The directory of named locks and atoms: --dir, $ATMOST_DIR, /var/lib/atmost for root, else HOST
// in the user's state directory.
Status lock_directory(const NamingContext& around, PathText& to);

// Fills path and name of `to` from LOCK; `texts` keeps them. `named`: it is a name or an atom,
// whose directories are ours to make.
Status place_lock(std::string_view lock, const NamingContext& around, Arena& texts, LockSpec& to,
                  bool& named);

// True if `store` (--store) names a store that many machines share: etcd:// or postgres://.
bool is_fleet(std::string_view store);

// True if `text` is a store as --store and $ATMOST_STORE take it. Usage errors never repeat it: it
// may hold a password.
Status check_store(std::string_view text);

// The log of a call whose locks lie in no directory of this machine: history.jsonl in the directory
// where local locks would be. In parts, which `around` lends.
Result<PathParts> fleet_log(const NamingContext& around);

// The log of a call whose lock is given by a path: history.jsonl in the directory of the user's
// named locks, even with --dir. Beside the lock it would belong to the first user, and others could
// not write to it. Error: there is no such directory.
Result<PathParts> own_log(const NamingContext& around);

// As place_lock(), for a lock of a fleet store: its path is the store's URL, "/", and the key. The
// lock is a name or an atom (whose host is around.host). A path is a usage error, as it means
// nothing on other machines.
Status place_fleet_lock(std::string_view lock, std::string_view store, std::string_view host,
                        Arena& texts, LockSpec& to);

// The path in one piece, which `texts` keeps; usage error when it is longer than a path may be.
Status keep_path(const PathParts& path, Arena& texts, TextView& to);

// The name of `to`, cut to kNameMost bytes; `texts` keeps it.
Status keep_name(std::string_view name, Arena& texts, LockSpec& to);

}  // namespace atmost

#endif
