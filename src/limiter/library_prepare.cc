#include "library_prepare.h"

#include <cstdlib>
#include <cstring>

#include "core/host.h"
#include "core/parse.h"
#include "library_answer.h"
#include "library_request.h"
#include "library_store.h"
#include "os/machine.h"

namespace atmost::limiter {
namespace {

// For a store that is named. ATMOST_ADMITTED, or the answer.
[[gnu::noinline]] int set_store(const atmost_options& known, std::string_view url,
                                LibraryLock& lock) {
  const Scheme& scheme = *scheme_of(url);
  lock.set_scheme(scheme);
  if (scheme.traits.leased) {
    // Its environment, which says where the program is, comes from another user.
    if (has_raised_rights())
      return answer_error(error_of(Code::not_permitted, 0, "store: not in a set-user-ID program"));
    if (lock.fleet() == nullptr) return answer_error(error_of(Code::internal, 0, "out of memory"));
  }
  if (!scheme.traits.has_path || scheme.traits.inheritable) return ATMOST_ADMITTED;
  const Status fits = fits_links(known, lock.request());
  return fits.ok() ? int{ATMOST_ADMITTED} : answer_error(fits.error());
}

// `store`: its URL, borrowed from the options or the environment; empty: files.
int make_lock(const atmost_options* options, atmost_options& known, std::string_view& store,
              LibraryLock*& to) {
  to = nullptr;
  if (!known_options(options, known))
    return answer_misuse("atmost_options.size is too small: start from ATMOST_DEFAULTS");
  if (const int answer = choose_store(known, store)) return answer;
  LibraryLock* lock = fresh_lock();
  if (lock == nullptr) return answer_error(error_of(Code::internal, 0, "out of memory"));
  int answer = lock->fill(known);
  lock->set_scheme(kSchemes[0]);
  if (!store.empty() && answer == ATMOST_ADMITTED) answer = set_store(known, store, *lock);
  if (answer == ATMOST_ADMITTED) {
    to = lock;
  } else {
    give_back(lock);
  }
  return answer;
}

// "[N@]LOCK". The part before the @ is a limit only if it is a number: a@b is a name like any
// other.
Status place_also(std::string_view text, const NamingContext& around, Request& to) {
  if (to.lock_count == kMaxLocks) return error_of(Code::usage, 0, "also: more than 15 locks");
  LockSpec& lock = to.locks[to.lock_count];
  const std::size_t at = text.find('@');
  if (at != std::string_view::npos && at > 0 &&
      std::string_view(text.data(), at).find_first_not_of("0123456789") == std::string_view::npos) {
    const Result<std::uint64_t> limit = parse_count({text.data(), at}, 0, kMaxSlots);
    if (!limit.ok()) return limit.error();
    lock.max = static_cast<std::uint32_t>(limit.value());
    text.remove_prefix(at + 1);
  }
  bool named = false;
  if (Status placed = place_lock(text, around, lock, named); !placed.ok()) return placed;
  to.make_parents = to.make_parents || named;
  ++to.lock_count;
  return {};
}

Status place_others(const atmost_options& known, const NamingContext& around, Request& to) {
  Status placed;
  for (const char* const* each = known.also; each != nullptr && *each != nullptr && placed.ok();
       ++each)
    placed = place_also(*each, around, to);
  return placed;
}

// Whether the history is kept where the user's is by default.
bool own_history(const atmost_options& known) {
  return known.no_history == 0 && known.log == nullptr;
}

bool in_fleet(std::string_view store, const LibraryLock& lock) {
  return !store.empty() && lock.scheme().traits.leased;
}

[[gnu::noinline]] int prepare_in_fleet(const FleetCall& call, const atmost_options& known,
                                       LibraryLock*& to) {
  const int answer = fill_arguments(known, call, to->request(), to->fleet()->arguments());
  if (answer == ATMOST_ADMITTED) return answer;
  give_back(to);
  to = nullptr;
  return answer;
}

[[gnu::noinline]] int prepare_atom_in_fleet(const AtomName& atom, std::string_view store,
                                            const atmost_options& known, LibraryLock*& to) {
  PathText lock;
  lock.append(atom.operator_).push(':').append(atom.operand);
  if (std::strchr(atom.operator_, ':') == nullptr && !lock.truncated())
    return prepare_in_fleet({store, lock, atom.host, LibraryLock::program()}, known, to);
  give_back(to);
  to = nullptr;
  return answer_misuse("operator: its colon would end it in the store of a fleet");
}

int keep_if(const Status& placed, LibraryLock*& lock) {
  if (placed.ok()) return ATMOST_ADMITTED;
  give_back(lock);
  lock = nullptr;
  return answer_error(placed.error());
}

}  // namespace

NamingContext naming_context(const char* directory, const char* host, const Naming& what,
                             Text<255>& host_room) {
  const auto view = [](const char* text) {
    return text != nullptr ? std::string_view(text) : std::string_view();
  };
  NamingContext around;
  around.option_dir = view(directory);
  if (what.in_directory) around.atmost_dir = view(std::getenv("ATMOST_DIR"));
  // Of the user nothing else counts beside that directory.
  if (what.in_directory && around.atmost_dir.empty()) {
    around.state_home = view(std::getenv("XDG_STATE_HOME"));
    around.home = view(std::getenv("HOME"));
  }
  const bool by_user = what.in_directory && around.atmost_dir.empty();
  around.root = by_user && user_id() == 0;
  if (host == nullptr && (what.atom || (by_user && !around.root))) host_room = os::host_name();
  around.host = host != nullptr ? std::string_view(host) : host_room.view();
  return around;
}

int prepare_named(const char* name, const atmost_options* options, atmost_options& known,
                  LibraryLock*& to) {
  std::string_view store;
  if (const int answer = make_lock(options, known, store, to)) return answer;
  if (in_fleet(store, *to))
    return prepare_in_fleet({store, name, nullptr, LibraryLock::program()}, known, to);
  Text<255> host;
  bool named = false;
  Request& request = to->request();
  const bool path = std::strchr(name, '/') != nullptr && known.also == nullptr;
  // An atom's operand may have a slash.
  const bool atom = std::strchr(name, ':') != nullptr;
  const Naming what = {!path || atom || own_history(known), known.also != nullptr || atom};
  const NamingContext around = naming_context(known.directory, nullptr, what, host);
  Status placed = place_lock(name, around, request.locks[0], named);
  request.make_parents = named;
  if (placed.ok()) placed = place_others(known, around, request);
  request.log_is_own = !named && own_history(known);
  if (placed.ok() && request.log_is_own) {
    const Result<PathParts> log = own_log(around);
    if (log.ok()) {
      to->keep_log(log.value());
    } else {
      request.no_history = true;
    }
  }
  return keep_if(placed, to);
}

int prepare_atom(const AtomName& atom, const atmost_options* options, atmost_options& known,
                 LibraryLock*& to) {
  std::string_view store;
  if (const int answer = make_lock(options, known, store, to)) return answer;
  if (in_fleet(store, *to)) return prepare_atom_in_fleet(atom, store, known, to);
  Text<255> host_room;
  const NamingContext around = naming_context(known.directory, atom.host, {}, host_room);
  LockSpec& spec = to->request().locks[0];
  PathText directory;
  Status placed = lock_directory(around, directory);
  Result<Text<255>> file = canonical_atom(atom.operator_, atom.operand, around.host);
  if (placed.ok() && !file.ok()) placed = file.error();
  if (placed.ok()) placed = join_path(directory, file.value(), spec.path);
  spec.name.append(atom.operator_).push(':').append(atom.operand);
  to->request().make_parents = true;
  if (placed.ok()) placed = place_others(known, around, to->request());
  return keep_if(placed, to);
}

}  // namespace atmost::limiter
