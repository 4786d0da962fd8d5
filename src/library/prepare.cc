// From a request of the C library to a lock that can be asked for.
#include <cstdlib>

#include "answer.h"
#include "atmost/atmost.h"
#include "core/parse.h"
#include "core/schemes.h"
#include "lock.h"
#include "os/self.h"

namespace atmost::limiter {
namespace {

// The facts about the user and this host that the wanted names need.
struct Naming {
  bool in_directory = true;  // a name or an atom, or the log of the user
  bool atom = true;          // an atom, which has the host in its name
};

// The naming context of this process; `host_room` keeps the host's name.
NamingContext naming_context(const Settings& options, const Naming& what, Text<255>& host_room) {
  const auto variable = [](const char* name) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::string_view(text) : std::string_view();
  };
  NamingContext around;
  around.option_dir = options.dir;
  if (what.in_directory) around.atmost_dir = variable("ATMOST_DIR");
  // If ATMOST_DIR is set, nothing else about the user counts.
  const bool by_user = what.in_directory && around.atmost_dir.empty();
  if (by_user) {
    around.state_home = variable("XDG_STATE_HOME");
    around.home = variable("HOME");
  }
  around.root = by_user && os::user_id() == 0;
  const bool counts = what.atom || (by_user && !around.root);
  if (options.host.empty() && counts) host_room = os::host_name();
  around.host = options.host.empty() ? host_room.view() : options.host;
  return around;
}

// False for an option that only the library has.
bool is_handed_on(std::string_view word) { return !word.starts_with("--may-be-killed="); }

Status place_in_fleet(std::string_view lock, const Settings& settings, Arena& texts, Request& to) {
  // A path names a lock file if the store is a directory: `atmost run` works out which one.
  if (scheme_of(settings).directory) {
    if (Status kept = keep_name(lock, texts, to.locks[0]); !kept.ok()) return kept;
  } else if (Status placed = place_fleet_lock(lock, settings.store, "fleet", texts, to.locks[0]);
             !placed.ok()) {
    return placed;
  }
  for (unsigned i = 0; i < settings.also_count; ++i) {
    LockSpec& also = to.locks[to.lock_count++];
    if (Status kept = keep_name(settings.also[i].lock, texts, also); !kept.ok()) return kept;
  }
  return {};
}

// Names the locks, for messages, and sets the arguments of `atmost run`. `program`: the note that
// list shows, if the request has none. ATMOST_ADMITTED, or the answer.
int fill_arguments(const LibraryRequest& from, std::string_view program, Arena& texts,
                   Request& request, Words& to) {
  if (from.is_atom && from.lock().find(':') != std::string_view::npos)
    return answer_misuse("operator: its colon would end it in the store of a fleet");
  PathText lock(from.lock());
  if (from.is_atom) lock.push(':').append(from.operand());
  if (lock.truncated()) return answer_misuse("the atom is longer than can be handed on");
  if (const Status placed = place_in_fleet(lock, from.settings, texts, request); !placed.ok())
    return answer_error(placed.error());
  to.clear();
  for (std::size_t i = from.first_option(); i < from.words.count(); ++i) {
    if (is_handed_on(from.words.at(i))) to.add(from.words.at(i));
  }
  if (request.id.empty() && !program.empty()) to.add("id", program);
  to.add("--");
  to.add(lock);
  if (!to.complete()) return answer_misuse("the options are longer than can be handed on");
  return ATMOST_ADMITTED;
}

// In a store of many machines. ATMOST_ADMITTED, or the answer.
int prepare_in_fleet(const LibraryRequest& from, LibraryLock& to) {
  // In a set-user-ID program the environment, which has ATMOST_EXEC_PATH, is another user's.
  if (os::has_raised_rights())
    return answer_error(error_of(Code::not_permitted, 0, "store: not in a set-user-ID program"));
  if (to.fleet() == nullptr) return answer_error(error_of(Code::internal, 0, "out of memory"));
  return fill_arguments(from, LibraryLock::program(), to.texts(), to.request(),
                        to.fleet()->arguments());
}

Status place_also(const Settings::Also& also, const NamingContext& around, LibraryLock& to) {
  Request& request = to.request();
  LockSpec& lock = request.locks[request.lock_count];
  lock.max = also.max;
  lock.max_given = also.max_given;
  bool named = false;
  if (Status placed = place_lock(also.lock, around, to.texts(), lock, named); !placed.ok())
    return placed;
  request.make_parents = request.make_parents || named;
  ++request.lock_count;
  return {};
}

Status place_others(const Settings& options, const NamingContext& around, LibraryLock& to) {
  Status placed;
  for (unsigned i = 0; i < options.also_count && placed.ok(); ++i)
    placed = place_also(options.also[i], around, to);
  return placed;
}

Status place_named(const LibraryRequest& from, LibraryLock& to) {
  const Settings& options = from.settings;
  const std::string_view name = from.lock();
  const bool own_history = !options.request.no_history && options.request.log.empty();
  const bool path = name.find('/') != std::string_view::npos && options.also_count == 0;
  // An atom's operand may have a slash.
  const bool atom = name.find(':') != std::string_view::npos;
  const Naming what = {!path || atom || own_history, options.also_count > 0 || atom};
  Text<255> host;
  const NamingContext around = naming_context(options, what, host);
  Request& request = to.request();
  bool named = false;
  Status placed = place_lock(name, around, to.texts(), request.locks[0], named);
  request.make_parents = named;
  if (placed.ok() && options.also_count > 0) placed = place_others(options, around, to);
  request.log_is_own = !named && own_history;
  if (!placed.ok() || !request.log_is_own) return placed;
  const Result<PathParts> log = own_log(around);
  if (log.ok()) {
    to.keep_log(log.value());
  } else {
    request.no_history = true;
  }
  return placed;
}

Status place_atom(const LibraryRequest& from, LibraryLock& to) {
  Text<255> host;
  const NamingContext around = naming_context(from.settings, {}, host);
  LockSpec& spec = to.request().locks[0];
  PathText directory;
  Status placed = lock_directory(around, directory);
  const Result<Text<255>> file = canonical_atom(from.lock(), from.operand(), around.host);
  if (placed.ok() && !file.ok()) placed = file.error();
  if (placed.ok())
    placed = keep_path({.directory = directory, .file = file.value()}, to.texts(), spec.path);
  Text<kNameMost> name(from.lock());
  name.push(':').append(from.operand());
  if (placed.ok()) placed = keep_name(name, to.texts(), spec);
  to.request().make_parents = true;
  return placed.ok() ? place_others(from.settings, around, to) : placed;
}

}  // namespace

int prepare(LibraryRequest& from, LibraryLock*& to) {
  to = nullptr;
  if (const int answer = from.complete()) return answer;
  LibraryLock* const lock = fresh_lock();
  if (lock == nullptr) return answer_error(error_of(Code::internal, 0, "out of memory"));
  lock->fill(from);
  int answer = ATMOST_ADMITTED;
  if (from.scheme().traits.leased) {
    answer = prepare_in_fleet(from, *lock);
  } else {
    const Status placed = from.is_atom ? place_atom(from, *lock) : place_named(from, *lock);
    if (!placed.ok()) answer = answer_error(placed.error());
  }
  if (answer == ATMOST_ADMITTED) {
    to = lock;
  } else {
    give_back(lock);
  }
  return answer;
}

}  // namespace atmost::limiter
