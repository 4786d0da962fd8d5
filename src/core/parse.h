// Text to validated values. Pure: no file, no environment, no clock. src/request/ defines these.
// An Error from here is always Code::usage, has the fault and the remedy, and leaves out the
// option's name, which the caller puts in front.
#ifndef ATMOST_PARSE_H
#define ATMOST_PARSE_H

#include <cstdint>
#include <string_view>

#include "core/request.h"
#include "core/result.h"

namespace atmost {

// A usage error that reads: "TEXT" REST. A long text is cut.
Error quoted(std::string_view text, std::string_view rest);

// 90, 90s, 15m, 5min, 1h30m, 2d, 1w, 250ms, 1.5h, .5, 1e1, inf. Units ms s m (or min) h d w, each
// at most once and from large to small; a bare number is seconds; the last component may have a
// fraction; one that stands alone may have an exponent, or begin with the point; rounded down to
// whole nanoseconds. At most 292 years; a longer one is an error, not inf.
Result<Duration> parse_duration(std::string_view text);

// A decimal whole number in [low, high]; no sign, no blank, no trailing text.
Result<std::uint64_t> parse_count(std::string_view text, std::uint64_t low, std::uint64_t high);

// N of --max: a whole number up to kMaxSlots, inf (kMaxSlots), or a part of the machine: cpus,
// cpus/K, cpus-K, P% (P from 1 to 10000), rounded down, at least 1. `processors` is asked for the
// last four alone; null: these are errors.
Result<std::uint32_t> parse_max(std::string_view text, std::uint32_t (*processors)());

// Three or four octal digits, permission bits only, the owner's read and write among them (we need
// both).
Result<unsigned> parse_mode(std::string_view text);

// Seconds since 1970 with an optional fraction, as a moment in ns.
Result<std::int64_t> parse_epoch(std::string_view text);

// "K/DUR", K from 1 to kMaxRate, DUR more than 0 and not inf.
Result<Rate> parse_rate(std::string_view text);

// A number of bytes, with K, M, G or T behind it for powers of 1024; kLeastOutput at least.
Result<std::int64_t> parse_output_size(std::string_view text);

// The argument of --ping: a URL of http or https, or @FILE. No error repeats it.
Status parse_ping(std::string_view text, Text<2047>& to);

// A command for sh -c, short enough for a variable.
Status check_notify(std::string_view command);

// A number of runs in 1,000: 3, 0.5; from 0.001 to 500, at most three digits behind the point. In
// parts per million.
Result<std::uint32_t> parse_risk(std::string_view text);

// The forms of LOCK (atmost(7), "LOCK").
enum class LockForm : std::uint8_t { path, atom, name };
Result<LockForm> classify_lock(std::string_view text);

// The file name (without directory) of a named lock or an atom: readable, and no two different
// names or atoms ever share one. At most 255 bytes, ends in ".lock", starts with no dot, holds only
// [A-Za-z0-9._+@=,-] and '%'. Long names are cut and carry a hash of the whole
// (docs/internals/lock-map.md has the scheme).
Result<Text<255>> canonical_name(std::string_view name);
Result<Text<255>> canonical_atom(std::string_view op, std::string_view operand,
                                 std::string_view host);

// The name to show for the lock in `file` (a file name without directory): the name or
// operator:operand from which the two functions above made it (followed by "@host" if its host is
// not `host`). If it was not made by them, or is cut: the file's own name.
Text<255> readable_name(std::string_view file, std::string_view host);

// True if `typed` may be a misspelling of `name`: they differ by at most two letters (one letter if
// they have at most four) that are missing, added, replaced or exchanged with a neighbour. False
// for texts of more than 63 bytes.
bool is_misspelling(std::string_view typed, std::string_view name);

// The same for one letter, however long they are.
bool differs_by_one_edit(std::string_view typed, std::string_view name);

// The file that is the lock of LOCK (atmost(7), "LOCK"). Only text is looked at: no file is opened
// or created. src/request/ defines these.

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
